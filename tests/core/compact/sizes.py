"""Conversations of some size in every format, and what a compaction of them takes."""

import json
import re

from ctxkit.app.services import engines
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.services import CompactionContext, TokenCounter, make_summary_writer
from ctxkit.core.compact.trigger import compact_if_due
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.core.chat.talks import FORMATS, Said

O200K = find_vocabulary("o200k")
COUNT = engines.load_tokenizer(O200K)


def loud(warning):
    raise AssertionError(warning)


def balance(transcript):
    return TokenCounter(O200K, COUNT, "", transcript.format.PROVIDER)


def policy(window, **given):
    return CompactionPolicy(window, window // 5, **given)


def compact(transcript, policy, *, stores=True, leaf="", **given):
    """Return the outcome of a compaction with extract."""
    means = CompactionContext(balance(transcript), make_summary_writer("extract", None, loud), stores, **given)
    return compact_if_due(transcript, transcript.encode(transcript.text), policy, means, leaf)


def read(data, name=None):
    return parse_transcript(data, "chat", get_format(name) if name else None)


def total(transcript):
    return balance(transcript).count_transcript(transcript).amount.high


def written(name, plan, outputs=()):
    """Return a conversation in a format; ``outputs`` take the place of what tools returned, in order."""
    make, join = FORMATS[name]
    ids = [id_ for said in plan if said.role == "tool" for id_, _ in said.results]
    told = dict(zip(ids, outputs, strict=False))

    def put(found):
        once = json.dumps(told.get(found[2], f"out of {found[2]}"))[1:-1]
        return f'{found[1]}"{json.dumps(once)[1:-1] if found[1] else once}{found[1]}"'

    return re.sub(r'(\\?)"out of (call_\d+)\\?"', put, join(make(plan)).decode()).encode()


def working(turns, size=30, ask="Please fix the parser in src/parser.py."):
    """Return a plan of one request and so many calls, with what each returned."""
    plan = [Said("user", ask)]
    for number in range(turns):
        calls = ((f"call_{number}", ("run", "read")[number % 2]),)
        plan += [Said("assistant", f"Step {number}.", calls), Said("tool", results=calls)]
    outputs = ["\n".join(f"{number}: line {line} of the output" for line in range(size)) for number in range(turns)]
    return [*plan, Said("assistant", "All done.")], outputs


def session(name, turns=24, size=25, **given):
    """Return a long piece of work, read in a format."""
    plan, outputs = working(turns, size, **given)
    return read(written(name, plan, outputs), name)
