package reapitest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
)

// A Fault is one way in which a server, its workers or the network fail. Each has a
// subject, the digest of what it befalls: of the action, of the blob, or of the first
// blob of a request.
type Fault int

// The first word says what is affected; subject in brackets.
const (
	// LostWorker kills the command, and the answer is UNAVAILABLE (action).
	LostWorker Fault = iota
	// LostOperation kills the command, breaks its streams, and nobody knows the operation
	// any more: WaitExecution is NOT_FOUND (action).
	LostOperation
	// LostLater does not find the results of a command that did run, and answers INTERNAL
	// (action).
	LostLater
	// Preempted kills the command and answers that the action was CANCELLED, which nobody
	// asked for (action).
	Preempted
	// Memory kills the command with SIGKILL: the answer has status 137 (action).
	Memory
	// Deadline kills the command and answers DEADLINE_EXCEEDED (action).
	Deadline
	// Straggler lets the action stand on its worker for Options.Straggle (action).
	Straggler
	// Vanished drops one of the blobs of the input just before the worker fetches it: the
	// answer is FAILED_PRECONDITION, and names it (action).
	Vanished
	// LostOutput drops the outputs of a result that is about to be told (action).
	LostOutput
	// Exhausted refuses Execute as RESOURCE_EXHAUSTED, and says when to come again (action).
	Exhausted
	// Refused refuses Execute as UNAVAILABLE (action).
	Refused
	// BrokenExecute breaks the stream of Execute when the command runs; it goes on (action).
	BrokenExecute
	// BrokenWait breaks the stream of WaitExecution (action).
	BrokenWait
	// EndedExecute ends the stream of Execute in order, but before there is a result: so do
	// proxies (action).
	EndedExecute
	// BrokenFind answers FindMissingBlobs with UNAVAILABLE (first blob).
	BrokenFind
	// BrokenBatch answers BatchUpdateBlobs with UNAVAILABLE after half of the blobs came
	// (first blob).
	BrokenBatch
	// PartBatch refuses one blob of a batch as RESOURCE_EXHAUSTED (first blob).
	PartBatch
	// BusyBatch refuses a batch as RESOURCE_EXHAUSTED, and says when to come again (first
	// blob).
	BusyBatch
	// BrokenUpload breaks a Write after its first message (blob).
	BrokenUpload
	// BrokenDownload breaks a Read half-way (blob).
	BrokenDownload
	// DamagedDownload sends as many bytes in a Read as there are, but others (blob).
	DamagedDownload
	// SlowAnswer holds what is done and not yet said back for Options.Delay (action or blob).
	SlowAnswer
	faults
)

var faultNames = [faults]string{
	"LostWorker", "LostOperation", "LostLater", "Preempted", "Memory", "Deadline", "Straggler", "Vanished",
	"LostOutput", "Exhausted", "Refused", "BrokenExecute", "BrokenWait", "EndedExecute", "BrokenFind",
	"BrokenBatch", "PartBatch", "BusyBatch", "BrokenUpload", "BrokenDownload",
	"DamagedDownload", "SlowAnswer",
}

func (f Fault) String() string { return faultNames[f] }

// Faults lists all of them.
func Faults() []Fault {
	all := make([]Fault, faults)
	for i := range all {
		all[i] = Fault(i)
	}
	return all
}

// Draw is a script for Options.Fault: each of the faults befalls each subject with
// probability p on its first occasions, all of them together at most `most` times. What
// it draws depends on seed, fault, subject and occasion alone, so on no clock.
func Draw(seed uint64, p float64, most int, which ...Fault) func(Fault, string, int) bool {
	var mu sync.Mutex
	spent := map[string]int{}
	return func(f Fault, subject string, nth int) bool {
		if !slices.Contains(which, f) || nth > most {
			return false
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s %d", f, subject, nth)
		if rand.New(rand.NewPCG(seed, h.Sum64())).Float64() >= p {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		spent[subject]++
		return spent[subject] <= most
	}
}

// First is a script for Options.Fault: each of the faults befalls each subject on its
// first n occasions.
func First(n int, which ...Fault) func(Fault, string, int) bool {
	return func(f Fault, subject string, nth int) bool {
		return nth <= n && slices.Contains(which, f)
	}
}

// occasions counts how often each fault could have befallen each subject.
type occasions struct {
	mu     sync.Mutex
	seen   map[Fault]map[string]int
	struck map[Fault]int
}

// strikes reports whether f befalls the subject now.
func (s *Server) strikes(f Fault, subject string) bool {
	if s.o.Fault == nil {
		return false
	}
	o := &s.faults
	o.mu.Lock()
	if o.seen == nil {
		o.seen, o.struck = map[Fault]map[string]int{}, map[Fault]int{}
	}
	if o.seen[f] == nil {
		o.seen[f] = map[string]int{}
	}
	o.seen[f][subject]++
	nth := o.seen[f][subject]
	o.mu.Unlock()
	if !s.o.Fault(f, subject, nth) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.struck[f]++
	return true
}
