// Package process runs a command so that none of its processes outlives it, whatever the command does.
//
// A [Runner] starts the program itself once more as a supervisor ([Supervise]), which runs one command after the other, each as a
// [Command] says, and tells how it ended ([Exit]). The supervisor ends all that a command has started: when the command has ended, when
// its time or its memory is used up, when the run is cancelled, and when the program that has started the supervisor dies. On Linux
// this holds for all processes (family_linux.go), on Windows for those in its job (family_windows.go), elsewhere for the
// process group of the command (family_other.go).
//
// Beside the command a run costs one vfork and exec, and two messages by pipes. Begin with command.go and supervisor.go.
package process
