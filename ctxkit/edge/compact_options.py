"""Define the options of a compaction, and resolve them to a policy under the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.compact.policy import (
    KEEP_RECENT,
    RECENT_SHARE,
    STAGES,
    TURNS,
    CachePrices,
    CompactionPolicy,
    Stage,
)
from ctxkit.core.errors import SettingsError, UsageError
from ctxkit.core.tokens.budget import COMPACT_TRIGGER
from ctxkit.edge.option_values import limit_recent, lookup_size
from ctxkit.edge.setting_definitions import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.services import SummaryWriter
    from ctxkit.core.store.store_interface import Store
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings


class CompactOptions(NamedTuple):
    """The options of a compaction, as typed."""

    file: str = "-"
    format_name: str | None = None
    keep_recent: int | None = None
    keep_last: int | None = None
    trigger: float | None = None
    low_water: float | None = None
    force: bool = False
    stages: str | None = None
    summarizer: str | None = None
    summary_role: str | None = None
    pins: tuple[str, ...] = ()
    context_md: str | None = None
    manifest: str | None = None
    skip_bad: bool = False
    leaf: str = ""
    cache_aware: bool = False
    turns: int | None = None
    cache_write: float | None = None
    cache_read: float | None = None
    report: str | None = None
    as_json: bool = False
    page_tokens: int | None = None
    explain: bool = False
    keep_observations: int | None = None

    def _resolve_kept(self, window: int, settings: Settings) -> tuple[int | None, int | None]:
        """Return how many messages stay, or what share of the window, if no number is given."""
        last = self.keep_last or (int(lookup_size(settings, "keep_last")) if self.keep_recent is None else 0)
        recent = self.keep_recent if self.keep_recent is not None else _resolve_recent(window, settings)
        return (last, None) if last else (None, recent)

    def make_policy(self, call: Call) -> CompactionPolicy:
        """Return the policy: flags, then settings, then defaults; raise UsageError if they contradict each other."""
        request, settings = call
        self._check_observations()
        budget = request.budget(settings)
        last, recent = self._resolve_kept(budget.window, settings)
        trigger = budget.compact_trigger if self.trigger is None else self.trigger
        low = self._resolve_low_water(trigger, settings)
        if budget.effective <= 0:
            raise UsageError("the reserve leaves nothing of the window", hint="see --reserve")
        return CompactionPolicy(
            budget.window,
            budget.reserve,
            0 if request.session else request.used or 0,
            trigger,
            max(budget.hard_block, trigger),
            low,
            recent=recent,
            last=last,
            force=self.force,
            stages=_parse_stages(self.stages) if self.keep_observations is None else ("clear",),
            role=self.summary_role or "",
            pins=tuple(pin for pin in self.pins if pin),
            prices=self._make_prices(),
            turns=TURNS if self.turns is None else self.turns,
            page_tokens=self.page_tokens,
            hint_template=request.resolve_hint(settings, "ctxkit", "").template,
            observations=self.keep_observations,
        )

    def _check_observations(self) -> None:
        """Raise UsageError if an option contradicts --keep-observations, which only clears tool results."""
        given = {"--stages": self.stages, "--keep-recent": self.keep_recent, "--keep-last": self.keep_last}
        names = [name for name, value in given.items() if value is not None]
        if self.keep_observations is not None and names:
            raise UsageError(
                f"--keep-observations cannot be combined with {names[0]}", hint="it clears older tool results only"
            )

    def _resolve_low_water(self, trigger: float, settings: Settings) -> float:
        """Return the target share of a compaction; scale the default with an early trigger."""
        setting = settings.lookup("low_water")
        low = lookup_size(settings, "low_water") if self.low_water is None else self.low_water
        if self.low_water is None and setting.source == "default":
            return float(min(low, trigger * low / COMPACT_TRIGGER))
        if low >= trigger and self.low_water is None:
            what = f"{setting.source}: a low water of {low:g} is not below the trigger, {trigger:g}"
            settings.blame(SettingsError(what, hint="see --low-water"))
            return float(min(KEYS["low_water"].default, trigger * KEYS["low_water"].default / COMPACT_TRIGGER))
        if low >= trigger:
            raise UsageError(f"a low water of {low:g} is not below the trigger, {trigger:g}", hint="see --low-water")
        return float(low)

    def _make_prices(self) -> CachePrices | None:
        if not self.cache_aware:
            return None
        given = {"write": self.cache_write, "read": self.cache_read}
        return CachePrices()._replace(**{name: value for name, value in given.items() if value is not None})


def _resolve_recent(window: int, settings: Settings) -> int | None:
    """Return the recent tokens to keep that the settings name, None for the usual number."""
    most = int(RECENT_SHARE * window)
    return limit_recent(settings, min(KEEP_RECENT, most), most)


def _parse_stages(text: str | None) -> tuple[Stage, ...]:
    if text is None:
        return STAGES
    names = [name.strip() for name in text.split(",") if name.strip()]
    if wrong := [name for name in names if name not in STAGES]:
        raise UsageError(f"unknown stage: {wrong[0]}", hint=f"a list of {', '.join(STAGES)}, separated by commas")
    return tuple(stage for stage in STAGES if stage in names)


class CompactionServices(NamedTuple):
    """Services of a compaction: a store (or None), a summary writer, and functions.

    They hold refs, record the result, let the policy respect the marks of a session, and return whether the output of a
    script must not be stored.
    """

    store: Callable[[], Store] | None
    write: SummaryWriter
    hold: Callable[[str, Iterable[str]], None]
    record_compaction: Callable[[CompactionOutcome, str, str], None]
    apply_marks: Callable[[CompactionPolicy, Transcript, str], CompactionPolicy]
    is_unstored: Callable[[str], bool] | None = None
