package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/scenarios"
)

// assignFile is a group for an assignor, as a YAML file has it.
type assignFile struct {
	in      assignor.Input
	name    string
	release protocol.Release
	count   int64          // partitions so far
	topics  map[string]int // their places, by name
}

// maxFilePartitions bounds the partitions of a file, owned ones included. --batch
// takes larger groups.
const maxFilePartitions = 1_000_000

// readAssignFile reads a file, or standard input for "-".
func readAssignFile(path string) (*assignFile, error) {
	name, text, err := readInput(path)
	if err != nil {
		return nil, err
	}
	return parseAssignFile(name, text)
}

func parseAssignFile(path string, text []byte) (*assignFile, error) {
	root, err := scenarios.ReadYAML(path, text)
	if err != nil {
		return nil, err
	}
	f := &assignFile{name: assignor.Range, release: protocol.MustRelease(protocol.Default), topics: map[string]int{}}
	fields := root.Fields()
	if n := fields.Get("about"); n.Given() {
		n.Text()
	}
	if n := fields.Get("assignor"); n.Given() {
		f.name = n.OneOf(assignor.Names()...)
	}
	if n := fields.Get("kafka"); n.Given() {
		r, err := protocol.ParseRelease(n.Text())
		if err != nil && n.IsText() {
			n.Fail("", "%s", err)
		}
		f.release = r
	}
	for _, e := range fields.Need("topics").Entries() {
		t := f.topic(e)
		f.topics[t.Name] = len(f.in.Topics)
		f.in.Topics = append(f.in.Topics, t)
	}
	for _, e := range fields.Need("members").Entries() {
		f.in.Members = append(f.in.Members, f.member(e))
	}
	fields.Done()
	if err := root.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// topic reads "orders: 6" or "orders: {partitions: 6, racks: [[a, b], …]}".
func (f *assignFile) topic(e scenarios.Entry) assignor.Topic {
	t := assignor.Topic{Name: e.Key.Text()}
	notPattern(e.Key)
	count, racks := e.Value, (*scenarios.Node)(nil)
	if e.Value.IsMap() {
		fields := e.Value.Fields()
		count, racks = fields.Need("partitions"), fields.Get("racks")
		fields.Done()
	}
	t.Partitions = int32(count.Int(0, maxFilePartitions))
	if f.count += int64(t.Partitions); f.count > maxFilePartitions {
		count.Fail("", "more than %d partitions in all", maxFilePartitions)
	}
	for i, replicas := range racks.List() {
		if i == int(t.Partitions) {
			replicas.Fail("", "%s has %d partitions: there is no partition %d to give racks", t.Name, t.Partitions, i)
			break
		}
		var of []string
		for _, rack := range replicas.List() {
			of = append(of, rack.Text())
		}
		t.Racks = append(t.Racks, of)
	}
	return t
}

// notPattern refuses a pattern of names: what it stands for is written out here.
func notPattern(n *scenarios.Node) {
	if name := n.Text(); strings.Contains(name, "{") && strings.Contains(name, "..") {
		n.Fail("write each name", "%q is a pattern, not a name", name)
	}
}

func (f *assignFile) member(e scenarios.Entry) assignor.Member {
	m := assignor.Member{ID: e.Key.Text()}
	notPattern(e.Key)
	fields := e.Value.Fields()
	for _, n := range fields.Need("topics").List() {
		if name := n.Text(); n.IsText() {
			f.known(n, name)
			m.Topics = append(m.Topics, name)
		}
	}
	for _, n := range fields.Get("owned").List() {
		m.Owned = append(m.Owned, f.owned(n)...)
	}
	if n := fields.Get("generation"); n.Given() {
		g := assignor.InGeneration(int32(n.Int(-1, math.MaxInt32)))
		m.UserDataGeneration, m.SubscriptionGeneration = g, g
	}
	if n := fields.Get("instance-id"); n.Given() {
		m.InstanceID = n.Text()
	}
	if n := fields.Get("rack"); n.Given() {
		m.Rack = n.Text()
	}
	fields.Done()
	return m
}

// known finds a topic of the file. One that does not exist, or does not any more, has 0
// partitions there: any other name that the file does not have is a slip.
func (f *assignFile) known(n *scenarios.Node, name string) *assignor.Topic {
	if i, ok := f.topics[name]; ok {
		return &f.in.Topics[i]
	}
	var names []string
	for i := range f.in.Topics {
		names = append(names, f.in.Topics[i].Name)
	}
	hint := fmt.Sprintf("write %q: 0 among the topics if it does not exist", name)
	if near := script.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? If it does not exist, write %q: 0 among the topics", near, name)
	}
	n.Fail(hint, "there is no topic %q", name)
	return nil
}

// owned reads orders-3 or orders-0..5.
func (f *assignFile) owned(n *scenarios.Node) []protocol.TopicPartition {
	const hint = "write orders-3, or orders-0..5 for several in a row"
	text := n.Text()
	if !n.IsText() {
		return nil
	}
	topic, numbers := text, ""
	if at := strings.LastIndexByte(text, '-'); at > 0 {
		topic, numbers = text[:at], text[at+1:]
	}
	from, to, row := strings.Cut(numbers, "..")
	first, err := strconv.ParseInt(from, 10, 32)
	last := first
	if err == nil && row {
		last, err = strconv.ParseInt(to, 10, 32)
	}
	if err != nil || first < 0 || last < first {
		n.Fail(hint, "%q is not a partition", text)
		return nil
	}
	t := f.known(n, topic)
	if t == nil {
		return nil
	}
	if t.Partitions > 0 && last >= int64(t.Partitions) {
		n.Fail("", "%s has %s: there is no %s-%d", topic, plural(int(t.Partitions), "partition"), topic, last)
		return nil
	}
	if f.count += last - first + 1; f.count > maxFilePartitions {
		n.Fail("", "more than %d partitions in all", maxFilePartitions)
		return nil
	}
	list := make([]protocol.TopicPartition, 0, last-first+1)
	for p := first; p <= last; p++ {
		list = append(list, protocol.TopicPartition{Topic: topic, Partition: int32(p)})
	}
	return list
}
