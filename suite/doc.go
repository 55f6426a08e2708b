// Package suite reads what the tests of a test suite did from what its runner writes: JSON events of go test,
// JUnit XML, TAP (the Test Anything Protocol, testanything.org), the output of pytest, of unittest of Python and of
// cargo test, the JSON of jest, or lines that a regular expression takes apart.
//
// [ParseFormat] makes a [Format] of the text that a user gives, [Detect] of output. A Format reads a [Report], which
// has one [Result] for each name of a test:
//
//	format    name of a test                        parent
//	go        example.com/shop.TestSum/small        the test that it is a subtest of, or else the package
//	junit     shop.SumTest.small, outer > small     none
//	tap       outer > small                         outer
//	pytest    tests/test_sum.py::test_sum[1-2]      none
//	unittest  tests.test_sum.SumTest.test_small     none
//	jest      src/sum.test.js > outer > small       none
//	cargo     shop src/lib.rs > sum::tests::small   none
//	lines     what the group "test" matches         none
//
// An outcome is Pass or Fail where a test ran to its end. It is Unresolved where a test was skipped, or cut short by
// something that need not be its own failure. A test that is expected to fail passes if it fails: xfail of pytest,
// expectedFailure of unittest, TODO of TAP. The parent of a failing test fails too; see [Innermost].
//
// The words for a status in the format lines, in upper or lower case, are those of most runners: such as ok, pass,
// passed, success, xfail and ✓ for Pass, fail, failed, failure, not ok, error, timeout and ✗ for Fail, skip, skipped,
// ignored and pending for Unresolved; statuses in format_lines.go has all. Another word is Unresolved.
//
// Results of one name are one test: it fails if one of them fails, or else is unresolved if one of them is, or else
// passes. They are not numbered, because the order of tests may differ from run to run.
//
// A report may be cut short, or may never begin, because the code that is tested does not build. That is no error:
// Report.Incomplete says why a report has not all tests, and the tests that it does not have are Unresolved. An error
// comes only from a reader that fails.
//
// Reading takes time in proportion to the length of what is read. It keeps names, and of a failure the first 1,000
// bytes of the message: together at most about 100 MB. What is behind that is left out, and Incomplete says so. Names are
// made printable as Go string literals are; colour codes are taken from the plain formats and from messages.
//
// The package runs nothing, and does not know revisions or changes. Begin with format.go and builder.go.
package suite
