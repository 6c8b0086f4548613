import pytest

from ctxkit.core.summary.summary_input import Evidence, collect_evidence, find_claims
from tests.core.summary.talk import did, matter, records_of, said, user

TALK = records_of(
    [
        user("Fix `parse_row` in src/csv/read.py, it takes 1.5 s"),
        *did("edit", {"path": "src/csv/write.py", "old": "a", "limits": [40, 8080]}, "1 passed in 0.25s at 9f2c1ab"),
        said("The Reader.next() of https://docs.example.org/csv is slow"),
    ]
)
SOURCE = collect_evidence(matter(TALK, earlier="# Context\n\n## Facts\n- Port 5432\n", pins=["DSN=pg://x"]))


@pytest.mark.parametrize(
    "line",
    [
        "Mended parse_row in src/csv/read.py.",
        "`src/csv/write.py` changed",
        "0.25s at 9f2c1ab",
        "Port 8080 and 5432",
        "Reader.next() of https://docs.example.org/csv",
        "The first 2 things, e.g. this",
        "Set DSN=pg://x",
    ],
)
def test_what_the_conversation_says_holds(line: str) -> None:
    assert SOURCE.can_support(line)


@pytest.mark.parametrize(
    "line",
    ["src/csv/reader.py", "`parse_rows`", "It takes 5 s", "Port 80", "commit 9f2c1abd", "see https://docs.example.org/tsv", "Reader.previous()"],
)
def test_what_it_does_not_say_does_not(line: str) -> None:
    assert not SOURCE.can_support(line)


def test_claims_are_what_can_be_looked_up() -> None:
    assert list(find_claims("Ran `make x` on a/b.py in 3 s, e.g. getRow() of 12.")) == ["make x", "a/b.py", "3", "getRow", "12"]
    assert list(find_claims("It takes 88.6K of 1.25s with x-3.13.0 and Next.js 15.5.2.")) == ["88.6K", "1.25s", "3.13.0", "Next.js", "15.5.2"]


@pytest.mark.parametrize(
    ("line", "known"),
    [("The server was restarted", True), ("Serverless", False), ("HHHHHHHHHHHHHHHH", False), ("qx zzkw", False), ("it is", True), ("重启了服务器", True)],
)
def test_a_line_of_which_no_word_was_said_is_babble(line: str, known: bool) -> None:
    source = Evidence("we restarted the server, 服务器 too")
    assert source.has_any_word(line) is known
