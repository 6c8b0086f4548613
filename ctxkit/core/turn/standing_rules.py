"""The rules of a user that hold for all tasks of a session: a compaction must keep them like pins."""

from collections.abc import Iterator

from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.summary_prefix import is_summary
from ctxkit.core.summary.demands import is_standing_rule
from ctxkit.core.summary.sentences import split_sentences

MAX_RULES, MAX_MESSAGE = 10, 20_000
"""Rules that are kept, the oldest first, and characters of a message that are searched."""


def find_standing_rules(transcript: Transcript, most: int) -> tuple[str, ...]:
    """Return the standing rules in requests and summaries, verbatim, of ``most`` characters in all."""
    rules: list[str] = []
    for record in transcript.records:
        if record.is_user_request or is_summary(record):
            rules += [rule for rule in _find_rules(record) if rule not in rules]
    kept: list[str] = []
    for rule in rules[:MAX_RULES]:
        if sum(map(len, kept)) + len(rule) <= most:
            kept.append(rule)
    return tuple(kept)


def _find_rules(record: Record) -> Iterator[str]:
    text = record.words[:MAX_MESSAGE]
    for line in text.split("\n"):
        for sentence in split_sentences(line.strip().removeprefix("- ")):
            for part in sentence.split("; "):
                if is_standing_rule(part) and part in text:
                    yield part
