"""A conditional entry is compared and stores nothing unless it says so."""

from ctxkit.core.session.conditional_entry import ConditionalEntry
from ctxkit.core.session.ledger import LedgerEntry, Session


def test_an_entry_alone_is_compared_and_stores_nothing() -> None:
    request = ConditionalEntry(Session("s", 1000, 200), 700, LedgerEntry("log", 5, "exact", "raw"))
    assert (request.data, request.label.name, request.max_age, request.is_compared) == (b"", "", 0, True)
