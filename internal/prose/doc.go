// Package prose writes what people read: numbers, times and sizes in words, commands as a shell
// takes them, and lines of styled text that fit a terminal. A [Line] shows what is not printable
// as an escape, so that no text can move the cursor, change colours or reorder what is shown.
package prose
