"""Pure nouns and verbs: no clock, no disk, no terminal."""
