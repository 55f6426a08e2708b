// Package reapi runs trials by Bazel's Remote Execution API, version 2, on whatever
// server speaks it.
package reapi
