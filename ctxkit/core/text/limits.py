"""Bound memory and time for any input: limits on what is read, and work in a separate process.

The guarantee, measured by ``python -m bench bounds``: for any input up to 100 MB, at most 400 MB of memory and one
second per megabyte. Lengths are in bytes and depths in levels, unless a name says otherwise. The limits of counting are
in tokens/token_count.py, which the shortest command loads without this table.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from ctxkit.core.errors import CtxkitError, Exit

MB = 1 << 20
WHOLE_DOCUMENT = 16 * MB
"""A document that is parsed as a whole: its values need 5 to 20 times its size. Larger JSON is read in parts, and
other documents get the generic briefing.
"""
EDITABLE = 64 * MB
"""A conversation that is edited or compacted: its text and values need 5 times its size.

Above, ``edit`` refuses, and ``compact`` passes its input unchanged.
"""
PARSED = 120 * MB
"""Memory of the values of a JSON text: a megabyte of ``[],`` needs 20 MB. Above, it is not parsed.

The parser needs as much again while it reads, and crashes if it gets no more memory.
"""
COUNTED_DOCUMENT = 64 * MB
"""A JSON document that is counted as a conversation: its text and values are in memory.

Above, it is counted as text. JSON lines are read line by line, in any number.
"""
LEVELS = 500
"""Levels of JSON: deeper values exhaust Python's stack when they are read and written."""
HEADINGS, HEADING_SPACE = 2_000, 100
"""Headings of a text, and the minimum mean bytes per heading above this number.

Each heading takes 80 microseconds. Text with more headings gets the generic briefing.
"""
DEFINITIONS, DEFINITION_SPACE = 5_000, 40
"""Definitions of source code, and the minimum mean bytes per definition above this number.

Each takes 30 microseconds, and a file with one in every 40 bytes is broken or a table. Code with more gets the generic
briefing.
"""
COLUMNS = 2_000
"""Columns of a table: each is measured separately. A table with more columns gets the generic briefing."""
KEY = 200
"""Characters of a key that is a list or a mapping: nested keys would double in size at each level."""
WorkerValue: TypeAlias = Any
"""A value that a worker process sent: None, numbers, strings, bytes, tuples, lists and dictionaries.

It is Any, because the process may send any shape: who reads the value tests it.
"""
Isolate = Callable[[Callable[[], WorkerValue], int], WorkerValue]
"""Returns the result of a function on content of a given size, called in a separate process.

Raises WorkerDiedError if there is no answer.
"""


def call_directly(work: Callable[[], WorkerValue], _: int) -> WorkerValue:
    """Call ``work`` in this process."""
    return work()


class WorkerDiedError(CtxkitError):
    """The worker process crashed, was killed or sent no valid answer.

    ``delivered`` is true if the output of a command was written before.
    """

    status = Exit.BUG
    delivered = False


class WorkerLimitError(WorkerDiedError):
    """The worker process exceeded its limit of memory or time."""

    status = Exit.MALFORMED
