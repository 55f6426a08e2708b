package reduce

// languages lists the formats with a grammar.
func languages() []format { return nil }
