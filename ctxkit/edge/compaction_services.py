"""The services that a compaction uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.compact.summary_writer import SummaryWriter
    from ctxkit.core.store.store_interface import Store


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
