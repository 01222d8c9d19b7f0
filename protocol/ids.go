package protocol

import "github.com/rebalsim/rebalsim/sim"

// IDsIn are the ids that a request of the group protocol names, and its generation: "" and -1 for
// what it does not name.
func IDsIn(body sim.Body) (group, member, instance string, generation int32) {
	switch r := body.(type) {
	case *JoinGroupRequest:
		return r.Group, r.Member, r.Instance, -1
	case *SyncGroupRequest:
		return r.Group, r.Member, r.Instance, r.Generation
	case *HeartbeatRequest:
		return r.Group, r.Member, r.Instance, r.Generation
	case *LeaveGroupRequest:
		if len(r.Members) == 1 {
			return r.Group, r.Members[0].Member, r.Members[0].Instance, -1
		}
		return r.Group, "", "", -1
	case *OffsetCommitRequest:
		return r.Group, r.Member, r.Instance, r.Generation
	case *OffsetFetchRequest:
		return r.Group, "", "", -1
	}
	return "", "", "", -1
}
