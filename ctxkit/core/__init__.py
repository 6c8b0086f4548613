"""Pure nouns and verbs: no clock, no disk, no terminal.

Values are NamedTuples where every command defines them, because that takes 0.1 ms each and a frozen
dataclass takes 0.9; elsewhere they are frozen dataclasses.
"""
