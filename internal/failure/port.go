package failure

import "github.com/gitdd/gitdd/internal/lazyregexp"

// portTaken is what programs say that listen on a port which another process has.
var portTaken = lazyregexp.New(`(?i)address (?:is )?already in use|\bEADDRINUSE\b|\bport\b.{0,40}\b(?:already )?(?:in use|taken|allocated|occupied)\b|only one usage of each socket address`)

// TellsPortTaken reports whether a line says that a port is taken which a program wanted to listen on.
func TellsPortTaken(line string) bool { return portTaken().MatchString(line) }
