"""The net effect of maps: what enters a context with ctxkit and without it, with the parts that are read back.

    python -m bench net [--inputs DIR]

Without ctxkit, a tool result enters as the host itself cuts it off. With ctxkit, a result above the host's limit enters
as a map. In the sessions of the corpora and of CTXKIT_SESSIONS, or of DIR, a part is read back where the agent later
uses a name or number of the result that neither the map nor anything before the result has: the lines around it, and
the call. A part is at most as large as the host's limit, because what prints it is gated too. Single tool outputs have
no agent, so their figures assume how many parts are read. Tokens are those of qwen3.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from bench.compact.said import Said
from bench.compact.sessions import read_sessions
from bench.doors import Gate, count, text_of
from bench.figure import Figure
from bench.place import Place
from ctxkit.core.hosts.profiles import PROFILES

SUITE = "net"
AROUND = 20
"""Lines before and after a needed line that are read back with it."""
CALL_TOKENS = 60
"""Tokens of a call that reads a part back."""
READ_LINES = 60
"""Lines of a part that is assumed to be read back of a single output."""
READS = (0, 1, 3)
"""How many parts of a single output are assumed to be read back."""
_TERM = re.compile(r"[\w./:-]*(?:\d|_|/|\.)[\w./:-]*\w")
_LEAST = 6
"""Characters of a name or number below which it may be there by chance."""
Replay = Callable[[str], str]


def keep_ends(text: str, first: int, last: int) -> str:
    """Return the first and the last characters of a text that is longer."""
    return text if len(text) <= first + last else text[:first] + text[len(text) - last :]


def keep_last_lines(text: str, lines: int, size: int) -> str:
    """Return the last lines of a text, at most so many characters."""
    return "".join(text.splitlines(keepends=True)[-lines:])[-size:]


CUTS: dict[str, Callable[[str], str]] = {
    "claude-code": partial(keep_ends, first=30_000, last=0),
    "codex": partial(keep_ends, first=5_000, last=5_000),
    "gemini": partial(keep_ends, first=8_000, last=32_000),
    "pi": partial(keep_last_lines, lines=2_000, size=50_000),
}
"""What each host lets in of the output of a command: see ctxkit/core/hosts/profiles.py."""


class Effect(NamedTuple):
    """Tokens without ctxkit and with it, those of the parts that are read back, and their number; ``maps`` are maps."""

    without: int
    entered: int
    read: int = 0
    reads: int = 0
    maps: int = 0

    @property
    def net(self) -> int:
        """Return the tokens that are kept out, negative for a loss."""
        return self.without - self.entered - self.read

    def with_effect(self, other: "Effect") -> "Effect":
        """Return the sum of both."""
        return Effect(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass
class Tally:
    """Hold the effects of a host: of all results together, and of each session or output that has a map."""

    total: Effect = Effect(0, 0)
    count: int = 0
    effects: list[Effect] = field(default_factory=list)

    def add(self, effect: Effect) -> None:
        """Add a session or an output."""
        self.count += 1
        self.total = self.total.with_effect(effect)
        if effect.maps:
            self.effects.append(effect)


def figures(place: Place) -> Iterator[Figure]:
    """Yield the effect of each host, over the sessions and over the single outputs."""
    sessions = read_sessions(place)
    outputs = [text_of(place.data(path)) for path in place.inputs("tool_outputs")]
    if not (sessions or outputs):
        note = "there are no corpora; CTXKIT_CORPORA names their directory"
        yield Figure(SUITE, "net effect", "skipped", notes=(note,))
        return
    for host in CUTS:
        replay, limit = make_replay(host), PROFILES[host].output_limit
        tally = Tally()
        for session in sessions[:: 8 if place.quick else 1]:
            tally.add(replay_session(session.rows, CUTS[host], replay, limit))
        yield _report(f"{host}: sessions", tally)
        maps = [(text, replay(text)) for text in outputs[:: 20 if place.quick else 1]]
        for reads in READS:
            tally = Tally()
            for text, shown in maps:
                tally.add(weigh_output(text, shown, CUTS[host], reads, limit))
            yield _report(f"{host}: outputs, each map with {reads} reads", tally)


def make_replay(host: str) -> Replay:
    """Return a function that returns what the gate shows of a result under the limits of a host."""
    gate, profile = Gate(), PROFILES[host]

    def show(text: str) -> str:
        """Return the result itself, or a map of it."""
        data = text.encode("utf-8", "replace")
        shown = gate.admit(data, profile)
        return b"".join(shown.content).decode("utf-8", "replace") if shown.result == "briefing" else text

    return show


def replay_session(rows: Sequence[Said], cut: Callable[[str], str], replay: Replay, limit: int) -> Effect:
    """Return the effect on a session: each result is weighed with what the agent uses of it later."""
    effect = Effect(0, 0)
    for place, row in enumerate(rows):
        if not (row.answers and row.text.strip()):
            continue
        without, shown = count(cut(row.text)), replay(row.text)
        if shown == row.text:
            effect = effect.with_effect(Effect(without, without))
            continue
        ranges = find_needed_ranges(row.text, shown, rows[:place], rows[place + 1 :])
        lines = row.text.splitlines(keepends=True)
        read = sum(_count_read("".join(lines[start:end]), limit) for start, end in ranges)
        effect = effect.with_effect(Effect(without, count(shown), read, len(ranges), 1))
    return effect


def find_needed_ranges(text: str, shown: str, before: Sequence[Said], after: Sequence[Said]) -> list[tuple[int, int]]:
    """Return the ranges of lines that the agent needs of a result beside its map, from 0, without their ends."""
    known = set(find_terms(shown)).union(*(find_terms(_say(row)) for row in before))
    used = set[str]().union(*(find_terms(_say(row)) for row in after if row.role == "assistant")) - known
    ranges: list[tuple[int, int]] = []
    for number, line in enumerate(text.splitlines()):
        terms = used.intersection(find_terms(line))
        if not terms:
            continue
        used -= terms
        start, end = max(number - AROUND, 0), number + AROUND + 1
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
    return ranges


def find_terms(text: str) -> set[str]:
    """Return the names and numbers of a text that are long enough not to be there by chance."""
    return {term for term in _TERM.findall(text) if len(term) >= _LEAST}


def _say(row: Said) -> str:
    """Return all text of a message, with that of its calls."""
    return " ".join([row.text, *(str(did.arguments) for did in row.did)])


def _count_read(part: str, limit: int) -> int:
    """Return the tokens of reading a part back."""
    return min(count(part), limit) + CALL_TOKENS


def weigh_output(text: str, shown: str, cut: Callable[[str], str], reads: int, limit: int) -> Effect:
    """Return the effect on a single output of which so many parts are read, spread evenly over its lines."""
    without = count(cut(text))
    if shown == text:
        return Effect(without, without)
    lines = text.splitlines(keepends=True)
    starts = [len(lines) * number // (reads + 1) for number in range(1, reads + 1)]
    parts = ["".join(lines[start : start + READ_LINES]) for start in starts]
    return Effect(without, count(shown), sum(_count_read(part, limit) for part in parts), reads, 1)


def _report(what: str, tally: Tally) -> Figure:
    """Return the figure of a host: the sum, the distribution of those with a map, and the losses."""
    total, effects = tally.total, sorted(tally.effects, key=lambda effect: effect.net)
    share = f"{total.net / total.without:.1%}" if total.without else "0%"
    figure = f"{total.net:,} of {total.without:,} tokens kept out ({share})"
    notes = [f"{total.maps:,} maps in {len(effects):,} of {tally.count:,}"]
    notes += [f"entered {total.entered:,} tokens; read back {total.reads:,} parts with {total.read:,} tokens"]
    if effects:
        nets = [effect.net for effect in effects]
        points = ", ".join(f"{name} {nets[round(share * (len(nets) - 1))]:,}" for name, share in _POINTS)
        losses = [net for net in nets if net < 0]
        notes += [f"kept out of each with a map: {points}"]
        notes += [f"losses: {len(losses):,} of {len(nets):,}, {sum(losses):,} tokens"]
    return Figure(SUITE, what, figure, notes=notes)


_POINTS = (("least", 0.0), ("10 %", 0.1), ("25 %", 0.25), ("median", 0.5), ("75 %", 0.75), ("90 %", 0.9), ("most", 1.0))
"""The points of a distribution by their names."""
