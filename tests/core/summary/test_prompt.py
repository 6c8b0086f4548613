import pytest

from ctxkit.core.summary.frame import frame_page
from ctxkit.core.summary.prompt import (
    GAP,
    RESULT_CHARS,
    RULES,
    TEMPLATE,
    build_prompt,
    render_earlier_page,
    serialize_record,
    shorten_middle,
    split_into_pieces,
)
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page
from tests.core.summary.talk import did, matter, ran, records_of, said, user, words

PAGE = render_page(SummaryPage("Old task", facts=("Port 5432",)))


def test_a_first_prompt_shows_the_rules_the_template_and_the_talk() -> None:
    asked = build_prompt("[User]: hi")
    assert RULES in asked
    assert TEMPLATE in asked
    assert asked.endswith("<conversation>\n[User]: hi\n</conversation>\n\nThe filled template:\n")
    assert "<notes>" not in asked


def test_a_later_one_shows_what_is_known() -> None:
    asked = build_prompt("[User]: hi", PAGE)
    assert f"<notes>\n{PAGE.strip()}\n</notes>" in asked
    assert TEMPLATE in asked


def test_a_conversation_is_text_that_cannot_be_gone_on_with() -> None:
    records = records_of([user("Look"), *did("read", {"path": "a.py", "n": 3}, "x" * 5000, "I look."), said("Seen.")])
    lines = [line for record in records for line in serialize_record(record)]
    assert lines[:3] == ["[User]: Look", "[Assistant]: I look.", "[Assistant calls] read(path=a.py, n=3)"]
    assert lines[3].startswith("[Tool result]: xxx")
    assert len(lines[3]) < RESULT_CHARS + 60
    assert lines[4] == "[Assistant]: Seen."


def test_long_texts_lose_their_middle() -> None:
    assert shorten_middle("abc", 3) == "abc"
    assert shorten_middle("a" * 50 + "b" * 50, 30) == "a" * 20 + "\n[...]\n" + "b" * 10


@pytest.mark.parametrize("room", [900, 1500, 4000])
def test_every_piece_fits_and_together_they_hold_everything(room: int) -> None:
    talk = [part for n in range(40) for part in (user(f"Request number {n}: " + "do " * 40), *ran(f"make t{n}", "out " * 60))]
    given = matter(records_of(talk), target=100)
    found = split_into_pieces(given, room, words)
    assert all(words(build_prompt(piece, PAGE)) <= room for piece in found)
    for n in range(40):
        assert any(f"Request number {n}: " in piece for piece in found)
        assert any(f"make t{n}" in piece for piece in found)
    assert len(found) == 1 or all(found)


def test_a_message_larger_than_the_room_is_broken_at_its_lines() -> None:
    long = "\n".join(f"line {n}" for n in range(2000))
    found = split_into_pieces(matter(records_of([user(long)]), target=100), 900, words)
    assert len(found) > 1
    assert "\n".join(found).replace("[User]: ", "").split() == long.split()


def test_one_line_larger_than_the_room_is_broken_too() -> None:
    found = split_into_pieces(matter(records_of([user("x" * 9000)]), target=100), 900, words)
    assert "".join(found).count("x") == 9000
    assert all(words(build_prompt(piece)) <= 900 for piece in found)


def test_no_pieces_where_there_is_no_room() -> None:
    assert split_into_pieces(matter(records_of([user("hi")]), target=600), 500, words) == ()


def test_of_what_stays_only_requests_are_told() -> None:
    talk = [user("first"), said("one"), user("second"), said("two")]
    [piece] = split_into_pieces(matter(records_of(talk), cut=2), 4000, words)
    assert piece == "[User]: first\n\n[Assistant]: one\n\n[User]: second"


def test_an_earlier_summary_is_known_rather_than_told() -> None:
    talk = [user(frame_page(PAGE, "abc123")), user("go"), said("done")]
    given = matter(records_of(talk))
    assert parse_page(render_earlier_page(given)) == parse_page(PAGE)
    [piece] = split_into_pieces(given, 4000, words)
    assert "Old task" not in piece
    assert render_earlier_page(matter(records_of([user("x")]))) == ""


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("many", [3, 30, 300])
def test_a_long_conversation_loses_detail_before_its_middle(most: int, many: int) -> None:
    talk = [part for n in range(many) for part in (user(f"Request {n} of many."), *ran(f"make t{n}", "out " * 400))]
    given = matter(records_of(talk), target=100)
    found = split_into_pieces(given, 2000, words, most)
    assert 1 <= len(found) <= most
    assert all(words(build_prompt(piece, PAGE)) <= 2000 for piece in found)
    assert found[0].startswith("[User]: Request 0 of many.")
    assert f"make t{many - 1}" in found[-1]
    told = [n for n in range(many) if any(f"Request {n} of" in piece for piece in found)]
    assert len(told) == many or (many == 300 and GAP in found[0])


def test_what_fits_keeps_all_its_detail() -> None:
    given = matter(records_of([user("Look"), *ran("make", "out " * 300)]), target=100)
    assert split_into_pieces(given, 4000, words, 1) == split_into_pieces(given, 4000, words)
