"""Which earlier content new content is compared with; tests/commands/test_repetition.py replaces it."""

from ctxkit.core.gate.repetition import EarlierContent, find_earlier
from ctxkit.core.session.ledger import LedgerEntry


def entry(name: str = "make", ref: str = "a", result: str = "raw", agent: str = "") -> LedgerEntry:
    return LedgerEntry(name, 500, "exact", result, ref=ref, agent=agent)


def test_the_same_content_is_known_by_its_ref_whatever_its_name() -> None:
    entries = [entry("cat", "b"), entry("make", "a")]
    assert find_earlier(entries, "make", "", "b") == EarlierContent(entries[0], True)


def test_other_content_of_the_same_name_is_near_and_the_newest_counts() -> None:
    entries = [entry(ref="a"), entry(ref="b"), entry("cat", "c")]
    assert find_earlier(entries, "make", "", "x") == EarlierContent(entries[1], False)
    assert find_earlier(entries, "", "", "x") is None
    assert find_earlier([], "make", "", "a") is None


def test_maps_and_other_agents_do_not_count() -> None:
    for other in (entry(result="briefing"), entry(result="changed"), entry(agent="b"), entry(ref="")):
        assert find_earlier([other], "make", "", "a") is None
    assert find_earlier([entry(agent="b")], "make", "b", "a")
