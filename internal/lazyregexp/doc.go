// Package lazyregexp compiles regular expressions when they are first used. A program pays for all global
// expressions whenever it starts, and gitdd starts itself for each trial, to supervise the command.
package lazyregexp
