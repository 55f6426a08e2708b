// Package schema holds what gitdd writes as JSON to the schema files that promise
// its shape, and these to the Go types behind it. It is for tests.
package schema
