// Package seed draws the seeds of randomised tests, so that each can be run again.
package seed
