package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// commitVariables are where CI systems say which commit they build: GitHub, GitLab,
// Buildkite, CircleCI, Jenkins, Azure, Bitbucket, Travis, Drone, Semaphore, AppVeyor,
// CodeBuild, TeamCity.
var commitVariables = []string{"GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "GIT_COMMIT",
	"BUILD_SOURCEVERSION", "BITBUCKET_COMMIT", "TRAVIS_COMMIT", "DRONE_COMMIT_SHA", "SEMAPHORE_GIT_SHA",
	"APPVEYOR_REPO_COMMIT", "CODEBUILD_RESOLVED_SOURCE_VERSION", "BUILD_VCS_NUMBER"}

// seedOfCommit makes a seed of the hash of the commit that is built: its first 12 digits.
func seedOfCommit() (uint64, error) {
	hash := ""
	for _, name := range commitVariables {
		if hash = os.Getenv(name); hash != "" {
			break
		}
	}
	if hash == "" {
		out, err := exec.Command("git", "rev-parse", "HEAD").Output()
		if err != nil {
			return 0, errors.New("--seed-from-commit: no CI system says which commit this is, and git knows of none here")
		}
		hash = strings.TrimSpace(string(out))
	}
	seed, err := strconv.ParseUint(hash[:min(12, len(hash))], 16, 64)
	if err != nil {
		return 0, fmt.Errorf("--seed-from-commit: %q is no hash of a commit", hash)
	}
	return seed, nil
}

// shardOf reads "i/n", or for "auto" what CI systems say: CI_NODE_INDEX (from 1) or
// JOB_COMPLETION_INDEX (from 0), and as the total what follows in "auto/n", or
// CI_NODE_TOTAL.
func shardOf(text string, env func(string) string) (shard, of uint64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	index, total, cut := strings.Cut(text, "/")
	fromZero := uint64(0)
	if index == "auto" {
		switch {
		case env("JOB_COMPLETION_INDEX") != "":
			index, fromZero = env("JOB_COMPLETION_INDEX"), 1
		case env("CI_NODE_INDEX") != "":
			index = env("CI_NODE_INDEX")
		default:
			return 0, 0, fmt.Errorf("--shard auto: neither JOB_COMPLETION_INDEX nor CI_NODE_INDEX is set: write --shard 1/8")
		}
		if !cut {
			total = env("CI_NODE_TOTAL")
		}
		if total == "" {
			return 0, 0, fmt.Errorf("--shard auto: CI_NODE_TOTAL is not set: write --shard auto/8")
		}
	} else if !cut {
		return 0, 0, fmt.Errorf("--shard %s: write 1/8 for the first of eight, or auto", text)
	}
	i, err1 := strconv.ParseUint(index, 10, 32)
	n, err2 := strconv.ParseUint(total, 10, 32)
	i += fromZero
	switch {
	case err1 != nil || err2 != nil:
		return 0, 0, fmt.Errorf("--shard %s: part %s of %s: write two whole numbers, as in 1/8", text, index, total)
	case i < 1:
		return 0, 0, fmt.Errorf("--shard %s: parts are counted from 1", text)
	case i > n && fromZero > 0:
		return 0, 0, fmt.Errorf("--shard %s: JOB_COMPLETION_INDEX is %s, counted from 0, and there are %d parts", text, index, n)
	case i > n:
		return 0, 0, fmt.Errorf("--shard %s: there is no part %d of %d", text, i, n)
	}
	return i, n, nil
}
