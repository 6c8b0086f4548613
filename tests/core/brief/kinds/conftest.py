import re

import pytest

from ctxkit.core.brief import brief_document, kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.retrieval_hint import Hint


def _document(data, target, name):
    return InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], lambda text: len(text) // 3, target, name)


def _entries(outline):
    waiting = [entry for section in outline.sections for entry in section.entries]
    for entry in waiting:
        yield entry
        waiting.extend(entry.children)


class Trial:
    """Map a log as one kind of test run, and hold every entry against the lines it claims."""

    def __init__(self, kind):
        self.kind = kind

    def known(self, text, name="stdin"):
        """Return what is taken for the kind of a text."""
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        return kind_detection.rank_kinds(_document(data, 2_000, name))[0][0].NAME

    def outline(self, text, name="log"):
        """Return the outlines that the kind makes of a text, None if it gives way."""
        return self.kind.outline(_document(text.encode(), 2_000, name))

    def check(self, text, target=2_000):
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        held = _document(data, target, "log")
        for outline in self.kind.outline(held) or []:
            for entry in _entries(outline):
                assert entry.start == entry.end == 0 or 1 <= entry.start <= entry.end <= held.lines.total
                if entry.verbatim:
                    assert re.sub(r" \[\+\d+ chars\]$", "", entry.label).strip() in strip_escapes(held.lines.at(entry.start))

    def map(self, text, target=2_000):
        """Return the map of a text, which has to be taken for the kind and to be true."""
        data = text if isinstance(text, bytes) else text.encode()
        assert self.known(data) == self.kind.NAME
        self.check(data, target)
        held = _document(data, target, "log")
        frame = BriefingFrame("log", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}"))
        made = brief_document(held, frame)
        assert made.tokens <= target
        return made.text


@pytest.fixture(scope="session")
def trial():
    return Trial
