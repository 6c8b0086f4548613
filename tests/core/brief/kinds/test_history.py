import re

import pytest

from ctxkit.core.brief.kinds import history as kind
from tests.core.brief.kinds.test_table import document, mapped


def log(commits=200):
    for number in range(commits):
        author = "Ann" if number % 4 else "Bob"
        yield f"commit {number:040x}\nAuthor: {author} <a@b>\nDate:   Tue Jan 2 03:04:05 2024 +0000\n\n    Change {number}\n"


LOG = "\n".join(log())
ONELINE = "".join(f"{n * 2654435761 % 2**28:07x}a subject {n}\n" for n in range(300))
BLAME = "".join(f"0123abcd (Ann Bee 2024-01-02 03:04:05 +0000 {n:>3}) code {n}\n" for n in range(1, 301))
STATUS = "On branch main\nChanges not staged for commit:\n" + "".join(f"\tmodified:   src/f{n}.py\n" for n in range(90))


def test_a_log_has_its_commits_authors_and_ranges() -> None:
    text = mapped(LOG, 1_000).text
    assert "200 commits, from Tue Jan 2 03:04:05 2024 +0000" in text
    assert "2 authors: Ann 150, Bob 50" in text
    first, runs = text.partition("\n## Runs\n")[::2]
    listed = first.count(", ", first.index("\n- 1 Change 0")) + 1
    assert f"{listed * 6 - 5} Change {listed - 1}\n" in first
    begin = listed * 6 + 1
    assert re.match(rf"- Lines {begin}-\d+: 0000000000 to 0000000000, Jan 2 2024 to Jan 2 2024: Change {listed}\n", runs)


def test_every_line_of_a_history_is_in_reach() -> None:
    text = mapped(ONELINE, 700).text
    assert "300 commits" in text
    first, last = (ONELINE.split("\n")[n].split()[0] for n in (120, 239))
    assert f"\n- Lines 121-240: {first} to {last}: subject 120\n" in text


def test_blame_says_who_wrote_how_much() -> None:
    assert "- 1 author: Ann Bee 300\n" in mapped(BLAME, 500).text


def test_a_status_counts_by_what_happened() -> None:
    text = mapped(STATUS, 400).text
    assert "- Changes not staged for commit: modified 90\n" in text
    assert "src/ (90 files)" in text


def test_a_graph_is_a_history() -> None:
    rows = ["*   0123abc Merge", "|\\  ", "| * 0123abd one", "* | 0123abe two", "|/  ", "* 0123abf three"]
    assert kind.sniff(document("\n".join(rows * 9))) == 0.9


@pytest.mark.parametrize(
    "text", ["   org.a.B    -> java.lang.String    java.base\n" * 9, "On branch main\nnothing to commit\n" + "test output\n" * 50, "word other\n" * 9, "", "1234567 890\n2345678 901\n"]
)
def test_other_text_is_no_history(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


def test_addresses_are_no_history() -> None:
    symbols = "".join(f"{n * 48:016x} T symbol_{n}\n" for n in range(400))
    shuffled = "".join(f"{n * 7919 % 400 * 48:016x} T symbol_{n}\n" for n in range(400))
    octal = "".join(f"{n:07o} 000001 000002\n" for n in range(0, 6_400, 16))
    assert [kind.sniff(document(text)) for text in (symbols, shuffled, octal)] == [0.0, 0.0, 0.0]


def test_a_run_of_blamed_lines_names_its_earliest_and_latest_day() -> None:
    days = ["2026-03-01", "2026-01-05", "2026-07-09", "2026-03-01"]
    blame = "".join(f"{n:08x} (Ann Lee {days[n // 100]} 10:00:00 +0000 {n + 1}) x = {n}\n" for n in range(400))
    said = mapped(blame).text
    assert "- Lines 121-240: 00000078 Ann Lee to 000000ef Ann Lee, 2026-01-05 to 2026-07-09" in said
