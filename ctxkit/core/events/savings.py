"""Measure what an event kept out of a window, against what plain truncation would have let in."""

from collections import OrderedDict
from typing import NamedTuple

from ctxkit.core.events.event import LoggedEvent, read_number
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.truncation.ends import MAX_BYTES, MAX_LINES

REMEMBERED = 200_000
"""Number of mapped contents that are remembered, to recognize when they are read again."""
_PASSED = ("raw", "tight")
_IN_CONTEXT = ("repeated", "changed")
"""Results for content that entered before and is still in the window: nothing needs to bring it back."""
_COMPACTED = ("cleared", "truncated")
"""Results that a compaction shortened: its own event has the tokens."""


class TokenFlow(NamedTuple):
    """The tokens of one event.

    ``kept_out`` is what truncation to 2,000 lines and 50 KB would have let in of content that was replaced, ``maps``
    what entered instead. ``brought_back`` entered because a model read replaced content after all. ``beyond`` passed
    unchanged though truncation would have kept it out. ``estimated`` tells whether any of these is an estimate.
    """

    kept_out: int = 0
    maps: int = 0
    brought_back: int = 0
    beyond: int = 0
    estimated: bool = False

    @property
    def net(self) -> int:
        """Return the net savings, which may be negative."""
        return self.kept_out - self.maps - self.brought_back - self.beyond


class SavingsMeter:
    """Measures events in order, and recognizes what brings replaced content back."""

    def __init__(self) -> None:
        self._replaced: OrderedDict[int, None] = OrderedDict()

    def measure(self, event: LoggedEvent) -> TokenFlow | None:
        """Return the tokens of an event; None if it lets nothing in, or if its tokens were not counted."""
        entered = read_number(event.facts.get("after_tokens"))
        if entered is None or not is_measurable(event):
            return None
        estimated = event.facts.get("method") != "exact"
        if event.kind == "cache_get":
            return TokenFlow(brought_back=entered, estimated=estimated)
        if event.facts.get("result") in _PASSED:
            return self._measure_passed(event, entered, estimated)
        return self._measure_replaced(event, entered, estimated)

    def _measure_passed(self, event: LoggedEvent, entered: int, estimated: bool) -> TokenFlow:
        """Return the tokens of content that passed; what was mapped under its name before is brought back."""
        if self._is_known(event, event.name):
            return TokenFlow(brought_back=entered, estimated=estimated)
        share = _share_below_cap(event.facts)
        beyond = entered - round(entered * share)
        return TokenFlow(beyond=beyond, estimated=bool(beyond) or estimated)

    def _measure_replaced(self, event: LoggedEvent, entered: int, estimated: bool) -> TokenFlow | None:
        """Return the tokens of content that was replaced; the same content again is not kept out a second time."""
        if event.facts.get("result") not in _IN_CONTEXT:
            repeated = self._is_known(event, event.ref)
            for name in filter(None, (event.name, event.ref)):
                self._remember(event, name)
            if repeated:
                return TokenFlow(brought_back=entered, estimated=estimated)
        before = read_number(event.facts.get("before_tokens"))
        share = _share_below_cap(event.facts)
        if before is None:
            return None
        original_method = _member(event.facts, "original").get("method", event.facts.get("method"))
        is_estimate = estimated or share < 1 or original_method != "exact"
        return TokenFlow(kept_out=round(before * share), maps=entered, estimated=is_estimate)

    def _remember(self, event: LoggedEvent, name: str) -> None:
        key = _make_key(event, name)
        self._replaced[key] = None
        self._replaced.move_to_end(key)
        if len(self._replaced) > REMEMBERED:
            self._replaced.popitem(last=False)

    def _is_known(self, event: LoggedEvent, name: str) -> bool:
        return bool(name) and _make_key(event, name) in self._replaced


def is_measurable(event: LoggedEvent) -> bool:
    """Return whether content enters or is kept out by an event; a compaction is measured apart."""
    if event.kind in ("cache_get", "brief", "gate"):
        return True
    is_compaction = event.verb == "compact" or event.facts.get("result") in _COMPACTED
    return event.kind == "tool_output_truncated" and not is_compaction


def _make_key(event: LoggedEvent, name: str) -> int:
    return hash((event.session or event.project, name))


def _share_below_cap(facts: dict[str, JsonValue]) -> float:
    """Return the share of the content that its last 2,000 lines or 51,200 bytes are, by its bytes and lines."""
    original = _member(facts, "original")
    size = read_number(original.get("bytes", facts.get("total_bytes")))
    lines = read_number(original.get("lines", facts.get("total_lines")))
    return min(1.0, MAX_BYTES / size if size else 1.0, MAX_LINES / lines if lines else 1.0)


def _member(facts: dict[str, JsonValue], key: str) -> dict[str, JsonValue]:
    value = facts.get(key)
    return value if isinstance(value, dict) else {}
