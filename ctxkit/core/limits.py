"""Every limit on what ctxkit reads of content, with its reason: for any input, memory and time stay bounded.

The promise, measured by ``python -m bench bounds``: for any input up to 100 MB, at most 400 MB of memory and
one second for each megabyte. Lengths are in bytes and depths in levels, unless a name says otherwise.
"""

MB = 1 << 20

WHOLE_DOCUMENT = 16 * MB
"""A document that is parsed as a whole: its values take 5 to 20 times its size. Above, it gets the generic map."""
EDITABLE = 64 * MB
"""A conversation that is edited or compacted: it is held as text and as values, 5 times its size.

Above, ``edit`` refuses, and ``compact`` passes its input on unchanged."""
COUNTED_DOCUMENT = 128 * MB
"""A JSON document that is counted as a conversation: only its values are held. Above, it is counted as text."""
LEVELS = 500
"""Levels of JSON: what is deeper cannot be read and written again without exhausting Python's stack."""
FLOW_LEVELS = 40
"""Levels of YAML and TOML in brackets: each takes a call on Python's stack; what is deeper is kept as text."""
KEY = 200
"""Characters of a key that is itself a list or a mapping: keys in keys would double in size at each level."""
LINE = 1 * MB
"""Bytes of a line that are read as text: no map shows more than its beginning."""
UNSPLIT = 4 * MB
"""Characters without a place where a tokenizer surely splits: a tokenizer takes 60 times their size. Above, the
count is an estimate."""

ARCHIVE_MEMBERS = 20_000
"""Members of an archive that are listed: no map shows more, and each takes memory."""
UNPACKED_BASE = 8 * MB
"""Bytes that any packed archive may unpack to while its members are listed: bzip2 takes half a second for them."""
UNPACKED_RATIO = 16
"""Times its own size that a packed archive may unpack to beyond that: four times what sources usually do."""
UNPACKED = 64 * MB
"""Bytes that a packed archive may unpack to in any case."""
XZ_MEMORY = 72 * MB
"""Memory that the xz decoder may take: ``xz -9`` asks for 65 MB, a hostile header for 4 GB."""
MEMBER_NAME = 16_384
"""Bytes that are read of a header that holds a member's long name: PATH_MAX, and what may stand beside it."""
