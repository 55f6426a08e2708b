// Package git is the only place that runs the git program.
package git
