//go:build !unix

package events

import (
	"errors"
	"os"
)

func inherited(int) (*os.File, error) {
	return nil, errors.New("this system has no descriptors by number; name a file")
}
