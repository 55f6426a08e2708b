// Package cli is what surrounds the commands of a command line: help, guides, manual pages, shell
// completion, and what is said of a command line that cannot be meant.
//
// It knows cobra, and the two names that a user may call the program by, gitdd and git dd. Beside help
// and completion it knows no command by its name, and nothing of what commands do: the caller passes in
// the commands and the texts. It reads and writes no file.
//
//   - A usage error ([UsageError], [Args], [FlagError], [NoSuchCommand]) names what may have been meant
//     ([Near]). So do the errors of [OneOf] and [SomeOf], for a flag that takes words. A [Size] is a flag
//     that takes a number of bytes.
//   - [Guides] are pages of the help. They have rows in the usage of the root command, and the help
//     command shows them.
//   - A [Manual] has a page for each command and each guide.
//   - [Completion] is the script for a shell, which also completes git dd where git's own completion
//     asks, but in PowerShell. [CompletionCommand] prints it.
//   - [NameOf], [Namer] and [Rename] put the name that the user types into texts.
//
// A flag has the heading that [AddHeadings] gave it, in the help and in the manual page.
package cli
