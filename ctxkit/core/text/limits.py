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
PARSED = 120 * MB
"""Memory that the values of a JSON text may take: a megabyte of ``[],`` takes 20. Above, it is not parsed.

The parser holds as much again while it reads, and it crashes when it is given no more."""
COUNTED_DOCUMENT = 64 * MB
"""A JSON document that is counted as a conversation: it is held once, and its values. Above, it is counted as text.

JSON lines are read line by line, whatever their number."""
LEVELS = 500
"""Levels of JSON: what is deeper cannot be read and written again without exhausting Python's stack."""
FLOW_LEVELS = 40
"""Levels of YAML and TOML in brackets: each takes a call on Python's stack; what is deeper is kept as text."""
FLOW_VALUES = 50_000
"""Values that are read of one such text: no map shows more, and each takes 6 microseconds."""
HEADINGS, HEADING_SPACE = 2_000, 100
"""Headings of a text, and the bytes that each of more than these takes on average: an entry of a map takes 80
microseconds. What has more of them gets the generic map."""
DEFINITIONS, DEFINITION_SPACE = 5_000, 40
"""Definitions of source code, and the bytes that each of more than these takes on average: each takes 30
microseconds, and a file of one in every 40 bytes is broken or a table. What has more gets the generic map."""
COLUMNS = 2_000
"""Columns of a table: each is measured on its own, and no map has room for more. Above, it gets the generic map."""
KEY = 200
"""Characters of a key that is itself a list or a mapping: keys in keys would double in size at each level."""
LINE = 1 * MB
"""Bytes of a line that are read as text: no map shows more than its beginning."""
UNSPLIT = 2 * MB
"""Characters in a row without a place where a tokenizer surely splits: counting them takes 60 times their size in
memory. Longer rows are cut, and the count is an estimate then."""
FORCED_CUT = 64
"""Tokens by which a count may be off for each such cut: it divides one word, and words of 64 tokens are none."""

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
