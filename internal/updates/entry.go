package updates

// An Entry is a run of whole lines of a file that are about one package, or about the file as a whole.
type Entry struct {
	// ID tells which entry of the other revision is the same one. Entries of one file with one ID are told
	// apart by their versions, and then by their order.
	ID      string
	Name    string // of the package; "" = the entry is about the file as a whole
	Version string // as the file has it: a version, or what versions may be
	Exact   bool   // Version is a version, and not a range of them
	Partial bool   // the entry alone makes no update: another one of the same Name has to
	From    int    // the first line, from 0
	To      int    // the line behind the last one

	Source Source // of an entry that fixes one version of a package

	// Provides are keys, by which other entries of the project may need this one.
	Provides []string
	Needs    []Need
	// Together are labels. The entries of a project that have a label in common are changed together.
	Together []string
}

// A Source is what a package manager takes for a package.
type Source struct {
	Name, Version string // by which it is brought; "" = it is not, as it is a folder of the project
	Folder        string // npm: of the installation, relative to the lock file
	From          string // npm: the address that the lock file has
	Sum           string // npm: the checksum that the lock file has; "" = none
}

// A Need is something that an entry requires of the entries beside it, as long as it is there.
type Need struct {
	// Keys are where to look for it: the first key that some entry provides counts, and of the
	// entries that provide it one has to be accepted.
	Keys []string
	// Accepts reports whether an entry of that version will do; nil = what the file's own revision has
	// there will do, and nothing else is known to.
	Accepts func(version string) bool
	What    string // for a reader: "golang.org/x/text v0.14.0"; "" = this need says nothing to a reader
}

// anyVersion accepts every version.
func anyVersion(string) bool { return true }

// noVersion accepts none: there may be no entry with the key.
func noVersion(string) bool { return false }

// only accepts one version.
func only(version string) func(string) bool {
	return func(v string) bool { return v == version }
}

// need requires an entry with a key, of any version.
func need(what string, keys ...string) Need { return Need{Keys: keys, Accepts: anyVersion, What: what} }
