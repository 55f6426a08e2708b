// Package lazyregexp compiles regular expressions when they are first used. A program pays for all global
// expressions whenever it starts, and gitdd starts itself once more for each worker, to supervise its commands.
package lazyregexp
