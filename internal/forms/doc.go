// Package forms writes the result of a search or of a reduction in each form that the user asked for: as text,
// JSON, a patch, a page, SARIF, JUnit XML, Markdown, places for editors, or annotations.
//
// [Files] are the flags that ask for them, [Forms] what writes each; [Out.Write] brings both together. A file
// is written whole or not at all.
//
// Begin with forms.go.
package forms
