"""The endless session: real sessions, repeated with fresh ids and renamed files, as one session of ctxkit turn.

    python -m bench endless [--quick | --full | --tokens N] [--part WINDOW]

The sessions of the corpora, and those of CTXKIT_SESSIONS, follow one another as tasks of one conversation: each answer
goes through ``turn --response``, each result and each request through ``turn``, in this process. Windows are 32K and
200K tokens, or the WINDOW alone. A run has a million tokens at each window, a quick one fifty thousand, a full one
80 million: as many as the 89 tasks of CWL (arXiv 2606.11213). stderr says how far it is.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from time import process_time
from typing import Any, AnyStr

from bench.compact.facts import Fact, facts, fold, is_known
from bench.compact.said import Did, Said, strings
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import Turn, openai, turns
from bench.compact.sound import breaches
from bench.figure import Figure, ms
from bench.place import Place

SUITE = "endless"
WINDOWS = (32_768, 200_000)
TOKENS = {"quick": 50_000, "": 1_000_000, "full": 80_000_000}
"""Tokens that are fed at each window, by the kind of run."""
PROGRESS = 250_000
"""Tokens between two lines of progress."""
FLAT = 1.5
"""Times the time of a turn in the first tenth that one in the last tenth may take."""
LEAST_TURNS = 20
"""Turns of a tenth below which its mean says nothing."""
KEPT = 0.95
"""Share of the facts of the current task that must be in its last request."""
SHARE = 0.10
"""Share of the window that the shortest statement of a fact may take; a longer one cannot be demanded."""
PIN = "The release branch is frozen until the audit of 2031-04-17 ends."
STANDING = "Never change the lockfile in any task."
OPENING = f"These rules hold for all tasks. {STANDING} {PIN}"
SYSTEM = "You are a careful agent that works on many tasks, one after another.\n"
_FILE = re.compile(r"([\w-]+)(\.(?:py|tsx?|jsx?|rs|go|md|json|txt|java|cpp|c|h|toml|ya?ml|sh|html|css|rb|cfg|ini))\b")
Message = dict[str, Any]


@dataclass
class Tally:
    """Hold what was seen at one window."""

    window: int
    times: list[float] = field(default_factory=list)
    fed: int = 0
    steps: dict[str, int] = field(default_factory=dict)
    first_step: int = -1
    maps: int = 0
    invalid: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    lost_rules: list[str] = field(default_factory=list)
    facts: list[tuple[str, Fact, bool]] = field(default_factory=list)
    cached: int = 0
    sent: int = 0
    earlier: int = 0


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of both windows."""
    kind = "quick" if place.quick else "full" if place.full else ""
    all_sessions = [session for session in sessions(place) if session.turns]
    for window in (int(place.part),) if place.part else WINDOWS:
        yield from _report(_feed(place, all_sessions, window, place.tokens or TOKENS[kind]))


def _feed(place: Place, all_sessions: Sequence[Session], window: int, most: int) -> Tally:
    """Feed tasks until there are ``most`` tokens of them."""
    from ctxkit.core.prompt import PromptSection
    from ctxkit.edge.prompts import TurnOptions

    tally, number = Tally(window), 0
    options = TurnOptions(provider="openai", pins=(PIN,), note="short")
    feeder = Feeder(make_call(place, window, "o200k", SUITE), options, tally, (PIN, STANDING))
    feeder.sections = (PromptSection("base", SYSTEM),)
    feeder.pending.append({"role": "user", "content": OPENING})
    while tally.fed < most:
        session = all_sessions[number % len(all_sessions)]
        before = tally.fed
        feeder.feed_task(f"{session.name}, round {number // len(all_sessions)}", _rename(session.rows, number))
        number += 1
        if tally.fed // PROGRESS > before // PROGRESS:
            print(_describe_progress(tally, most), file=sys.stderr, flush=True)
    return tally


def _describe_progress(tally: Tally, most: int) -> str:
    """Return a line that says how far a run is, what a turn takes now, and what is wrong so far."""
    wrong = sum(map(len, (tally.invalid, tally.over, tally.blocked, tally.lost_rules)))
    latest = ms(mean(tally.times[-len(tally.times) // 10 :]))
    return (
        f"endless: {tally.fed:,} of {most:,} tokens at {tally.window:,}, {len(tally.times):,} turns, "
        f"{latest} a turn in the last tenth, {wrong} wrong"
    )


def _rename(rows: Sequence[Said], number: int) -> list[Said]:
    """Return messages with other file names, so that no task repeats an earlier one."""

    def rename(value: Any) -> Any:
        if isinstance(value, str):
            return _FILE.sub(rf"\1_{number}\2", value)
        if isinstance(value, dict):
            return {key: rename(item) for key, item in value.items()}
        return [rename(item) for item in value] if isinstance(value, list) else value

    return [
        replace(row, text=rename(row.text), did=[Did(did.id, did.name, rename(did.arguments)) for did in row.did])
        for row in rows
    ]


def make_call(place: Place, window: int, tokenizer: str, session: str) -> Any:
    """Return the call of a session with a window."""
    from ctxkit.edge.request import Call, CliRequest
    from ctxkit.edge.settings import load

    request = CliRequest(window=window, tokenizer=tokenizer, session=f"{session}-{window}")
    return Call(request, load(os.environ, place.root))


class Feeder:
    """Feed messages to one session, and look at each request; ``rules`` must be in all."""

    def __init__(self, call: Any, options: Any, tally: Tally, rules: Sequence[str] = ()) -> None:
        self.call, self.options, self.tally, self.rules = call, options, tally, rules
        self.sections: tuple[Any, ...] = ()
        self.calls, self.before = 0, b""
        self.pending: list[Message] = []

    def feed_task(self, name: str, rows: list[Said]) -> None:
        """Feed one task, and look for its facts in its last request."""
        task = [turn for turn in turns(rows) if turn.role != "system"]
        for turn in task:
            if turn.role != "user":
                self.ask(name)
            self.take(turn)
        self.look_for_facts(name, rows, task, self.ask(name, again=True))

    def take(self, turn: Turn) -> None:
        """Take a message of the user or an answer, whose results are pending then."""
        if turn.role == "assistant":
            self.answer(turn)
        else:
            self.pending.append({"role": turn.role, "content": turn.text})

    def ask(self, name: str, *, again: bool = False) -> str:
        """Send the pending messages through a turn, and return the text of the request.

        Without any, the request is made ``again`` or not at all.
        """
        from ctxkit.app.turn.next_request import TurnInput, run_turn

        if not self.pending and not again:
            return ""
        data = b"".join(json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in self.pending)
        self.pending = []
        started = process_time()
        outcome = run_turn(TurnInput(data, self.sections), self.options, self.call)
        self.tally.times.append(process_time() - started)
        self.tally.fed += len(data) // 4
        return self.look_at(name, outcome.content, outcome.report, outcome.reason)

    def look_at(self, name: str, content: bytes, report: Any, reason: str) -> str:
        """Check a request; return its text."""
        tally = self.tally
        for step in report.steps:
            tally.steps[step] = tally.steps.get(step, 0) + 1
            tally.first_step = len(tally.times) if tally.first_step < 0 else tally.first_step
        tally.maps += len(report.gated)
        if reason:
            tally.blocked.append(f"{name}: {reason}")
            return ""
        messages = json.loads(content)["messages"]
        tally.invalid += [f"{name}: {wrong}" for wrong in breaches("openai", messages)]
        if report.amount.high >= 0.98 * report.budget.effective_window:
            tally.over.append(f"{name}: {report.amount.high:,} tokens")
        text = "\n".join(strings(messages))
        tally.lost_rules += [f"{name}: {rule}" for rule in self.rules if rule not in text]
        tally.cached += count_common(self.before, content)
        tally.sent += len(content)
        tally.earlier += len(self.before)
        self.before = content
        return text

    def answer(self, turn: Turn) -> None:
        """Take an answer in; the results of its calls are pending then."""
        from ctxkit.app.turn.answer import take_answer

        pairs = []
        for did, result in turn.pairs:
            self.calls += 1
            pairs.append((replace(did, id=f"call_{self.calls}"), result))
        message, *results = openai([replace(turn, pairs=tuple(pairs))])
        answer = {"choices": [{"message": message, "finish_reason": "tool_calls" if pairs else "stop"}]}
        data = json.dumps(answer, ensure_ascii=False).encode()
        started = process_time()
        take_answer(data, self.call)
        self.tally.times[-1:] = [self.tally.times[-1] + process_time() - started]
        self.tally.fed += len(data) // 4
        self.pending += results

    def look_for_facts(self, name: str, rows: Sequence[Said], task: Sequence[Turn], text: str) -> None:
        """Note which facts of a task, of those that were fed, its last request has."""
        whole, fed = fold(text), "\n".join(_read_texts(task))
        for fact in list_demanded(rows, fed, self.tally.window):
            self.tally.facts.append((name, fact, is_known(fact, whole)))


def list_demanded(rows: Sequence[Said], fed: str, window: int) -> Iterator[Fact]:
    """Yield the facts of a task that the model was told, and that are short enough for its window."""
    known = fold(fed)
    for fact in facts([row for row in rows if row.role != "system"]):
        if is_known(fact, known) and min(map(len, fact.ways)) / 4 < SHARE * window:
            yield fact


def count_common(first: AnyStr, second: AnyStr) -> int:
    """Return the number of bytes or characters with which both begin."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[low:middle] == second[low:middle] else (low, middle - 1)
    return low


def _read_texts(task: Sequence[Turn]) -> Iterator[str]:
    for turn in task:
        yield turn.text
        for did, result in turn.pairs:
            yield from (*strings(did.arguments), json.dumps(did.arguments), result)


def _report(tally: Tally) -> Iterator[Figure]:
    at = f"at {tally.window:,}"
    many = f"{len(tally.times):,} turns, {tally.fed:,} tokens fed"
    steps = ", ".join(f"{count} x {step}" for step, count in sorted(tally.steps.items()))
    yield Figure(SUITE, f"steps {at}", f"{steps or 'none'}, {tally.maps} maps; {many}")
    checks = {
        "invalid requests": tally.invalid,
        "requests over the budget": tally.over,
        "requests not sent": tally.blocked,
        "pins and standing rules lost": tally.lost_rules,
    }
    for what, wrong in checks.items():
        yield Figure(SUITE, f"{what} {at}", f"{len(wrong)} of {len(tally.times):,}", None, "0", not wrong, wrong[:8])
    yield _make_time_figure(tally, at)
    yield from _make_fact_figures(tally, at)
    yield Figure(SUITE, f"share that stayed cached {at}", f"{tally.cached / max(tally.sent, 1):.3f} of the bytes sent")


def _make_time_figure(tally: Tally, at: str) -> Figure:
    """Return how the time of a turn changes once the window has been full for the first time."""
    times = tally.times[tally.first_step :] if tally.first_step >= 0 else []
    tenth = len(times) // 10
    what = f"mean CPU time of a turn {at}, last tenth / first since the window was full"
    if tenth < LEAST_TURNS:
        return Figure(SUITE, what, f"{ms(mean(tally.times))} over all; too few turns to compare")
    first, last = mean(times[:tenth]), mean(times[-tenth:])
    return Figure(SUITE, what, f"{ms(last)} / {ms(first)}", last / first, f"<= {FLAT} x", last / first <= FLAT)


def _make_fact_figures(tally: Tally, at: str) -> Iterator[Figure]:
    kinds = dict.fromkeys(fact.kind for _, fact, _ in tally.facts)
    for kind in (*kinds, ""):
        itemss = [(name, fact, good) for name, fact, good in tally.facts if kind in ("", fact.kind)]
        if not itemss:
            continue
        good = sum(is_known for _, _, is_known in itemss) / len(itemss)
        lost = [f"{name[-60:]}: {fact.kind}: {fact.ways[0][:80]}" for name, fact, is_known in itemss if not is_known]
        target, ok = ("", None) if kind else (f">= {KEPT}", good >= KEPT)
        what = f"facts of the current task kept {at}{': ' + kind if kind else ''}"
        yield Figure(SUITE, what, f"{good:.3f} of {len(itemss)}", None, target, ok, () if kind else lost[:8])
