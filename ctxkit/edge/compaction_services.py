"""The services that a compaction uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.summary_writer import SummaryWriter
    from ctxkit.core.store.blobs import Store


class CompactionServices(NamedTuple):
    """Services of a compaction: a store (or None), a summary writer, functions that hold refs and record the result."""

    store: Callable[[], Store] | None
    write: SummaryWriter
    hold: Callable[[str, Iterable[str]], None]
    record_compaction: Callable[[CompactionOutcome, str, str], None]
