// Package lexical cuts source code into words, numbers, strings, comments, operators
// and white space, without a grammar: for those who group changes, reduce inputs, and
// colour what a page shows. It is pure.
//
// The table of [Rules] says how the comments, strings and words of each language are
// written (rules.go); a [Scanner] goes by them (scanner.go). It reads any text: where a
// rule does not fit, tokens are cut at odd places, but no byte is lost. What is not
// clear without a grammar, a [Mode] decides.
package lexical
