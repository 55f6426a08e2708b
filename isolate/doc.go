// Package isolate finds which of n numbered elements make a test fail; it
// knows no git, no files, no processes and no clock.
package isolate
