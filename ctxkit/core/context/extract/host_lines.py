"""Lines that a host adds to the messages of a user: they stand at the beginning or the end of most of them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ctxkit.core.context.instructions import is_instruction, is_prohibition

MIN_LINE = 24
"""Minimum characters of such a line: a short one, such as "Thanks.", may be the user's."""
MIN_MESSAGES, MIN_SHARE = 3, 0.6
"""Minimum number of messages, and minimum share of all messages, that have the line."""
MAX_LINES = 2
"""Maximum number of such lines: messages with more in common are uses of one template."""
EDGE_LINES = 6
"""Lines at each end of a message in which a host writes."""
_WORD, MIN_WORDS = re.compile(r"[^\W\d_]{2,}"), 6
_FILE_PATH = re.compile(r"(?:[A-Za-z]:)?[/\\]\S+\.\w{1,8}")
"""A line that is only the path of a file; and the minimum number of words of a sentence of a host."""
_SPOKEN = re.compile(r"\b(?:I|we|my|our|me|us)\b|[?？:：]$")
"""A word of a person who speaks, or the end of a line that asks or introduces."""


def find_host_lines(messages: Sequence[str]) -> frozenset[str]:
    """Return the lines that stand near an end of most messages.

    >>> sorted(find_host_lines([f"{name}\\n\\nNo tables exist. Default tables will be created." for name in "abc"]))
    ['No tables exist. Default tables will be created.']
    """
    counts = Counter(line for message in messages for line in frozenset(_find_edges(message)))
    least = max(MIN_MESSAGES, MIN_SHARE * len(messages))
    lines = frozenset(line for line, number in counts.items() if number >= least and not _is_spoken(line))
    return lines if len(lines) <= MAX_LINES else frozenset()


def _is_spoken(line: str) -> bool:
    """Return whether a line may be of a person, or is a mark: a host writes sentences, and paths of open files."""
    is_sentence = len(_WORD.findall(line)) >= MIN_WORDS or _FILE_PATH.fullmatch(line)
    return not is_sentence or bool(_SPOKEN.search(line)) or is_instruction(line) or is_prohibition(line)


def _find_edges(message: str) -> Iterable[str]:
    lines = [line.strip() for line in message.split("\n") if line.strip()]
    edges = lines if len(lines) <= 2 * EDGE_LINES else [*lines[:EDGE_LINES], *lines[-EDGE_LINES:]]
    return (line for line in edges if len(line) >= MIN_LINE)


def drop_host_lines(message: str, host_lines: frozenset[str]) -> str:
    """Return a message without the lines of the host, unless nothing else is there."""
    if not host_lines:
        return message
    kept = "\n".join(line for line in message.split("\n") if line.strip() not in host_lines).strip()
    return kept or message
