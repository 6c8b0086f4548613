from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.core.summary.frame import frame_page
from ctxkit.core.summary.model_summarizer import (
    GAP,
    RESULT_CHARS,
    RULES,
    TEMPLATE,
    build_prompt,
    make_model_summarizer,
    render_earlier_page,
    serialize_record,
    split_into_pieces,
    strip_answer,
    validate_page,
)
from ctxkit.core.summary.page import extract
from ctxkit.core.summary.summary_input import ChatModel
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page
from tests.core.summary.page_breaches import find_breaches
from tests.core.summary.talk import did, matter, ran, records_of, said, user, words
from tests.example_counts import count_examples

FIRST = render_page(SummaryPage("Mend a.py", facts=("Port 5432",)))
SECOND = render_page(SummaryPage("Mend a.py", facts=("Port 5433",)))
SHORT = records_of([user("Mend a.py"), *ran("make", "done"), said("Mended.")])
LONG = records_of([user("Mend a.py"), *(part for n in range(60) for part in ran(f"make t{n}", "out " * 60))])


def model(*answers, room=4000, most=0, count=None):
    """Return a voice that gives its answers in turn, the last one for ever, and the list of what it was asked."""
    asked = []

    def ask(prompt):
        asked.append(prompt)
        return answers[min(len(asked), len(answers)) - 1]

    return ChatModel(ask, room, count, most), asked


def test_what_fits_is_asked_about_once_and_the_answer_comes_as_it_is() -> None:
    voice, asked = model(f"Sure!\n{FIRST}\nHope this helps.")
    assert make_model_summarizer(lambda: voice)(matter(SHORT)) == f"Sure!\n{FIRST}\nHope this helps."
    assert len(asked) == 1
    assert "[Assistant calls] bash(command=make)" in asked[0]
    assert "<notes>" not in asked[0]


def test_a_longer_one_is_asked_about_piece_by_piece_with_the_page_so_far() -> None:
    voice, asked = model(FIRST, SECOND, room=1500)
    watched = []
    write = make_model_summarizer(lambda: voice, lambda parts: watched.extend(parts) or parts)
    assert parse_page(write(matter(LONG, target=100))) == parse_page(SECOND)
    assert len(asked) == len(watched) > 2
    assert [f"<notes>\n{FIRST.strip()}\n</notes>" in one for one in asked[:3]] == [False, True, False]
    assert "Port 5433" in asked[2]
    assert all(words(one) <= 1500 for one in asked)


def test_prompts_begin_alike_so_that_what_was_read_once_need_not_be_read_again() -> None:
    voice, asked = model(FIRST, room=1500)
    make_model_summarizer(lambda: voice)(matter(LONG, target=100))
    same = build_prompt("\0", FIRST).partition("\0")[0]
    assert len(asked) > 2
    assert all(one.startswith(same) for one in asked[1:])


def test_an_earlier_page_is_what_is_known_at_first() -> None:
    voice, asked = model(SECOND)
    given = matter(SHORT, earlier=FIRST)
    make_model_summarizer(lambda: voice)(given)
    assert f"<notes>\n{render_earlier_page(given).strip()}\n</notes>" in asked[0]


@pytest.mark.parametrize("bad", ["", "I cannot help with that.", "# Context\n", "<think>\n" * 50])
def test_an_answer_that_is_no_page_changes_nothing(bad: str) -> None:
    voice, asked = model(FIRST, bad, room=1500)
    assert parse_page(make_model_summarizer(lambda: voice)(matter(LONG, target=100))) == parse_page(FIRST)
    assert all("Port 5432" in one for one in asked[1:])


def test_where_none_is_a_page_the_answer_is_what_there_is() -> None:
    voice, _ = model("I cannot help with that.", room=1500)
    given = matter(LONG, target=100, earlier=FIRST)
    assert make_model_summarizer(lambda: voice)(given) == "I cannot help with that."


def test_reasoning_is_not_read_again() -> None:
    voice, asked = model(f"<think>Port 9?</think>\n{FIRST}\n## Notes\nI am done.", SECOND, room=1500)
    make_model_summarizer(lambda: voice)(matter(LONG, target=100))
    assert "Port 9" not in asked[1]
    assert "I am done" not in asked[1]


def test_an_endless_page_leaves_room_for_the_next_piece() -> None:
    endless = render_page(SummaryPage("Mend a.py", facts=tuple(f"Fact {n} " + "of many words " * 20 for n in range(200))))
    voice, asked = model(endless, room=1500)
    make_model_summarizer(lambda: voice)(matter(LONG, target=100))
    assert len(asked) > 2
    assert all(words(one) <= 1500 for one in asked)
    assert "Fact 0" not in asked[1] or "Fact 9" not in asked[1]


@pytest.mark.parametrize("most", [1, 2, 4])
def test_a_model_is_asked_no_more_often_than_it_is_worth(most: int) -> None:
    voice, asked = model(FIRST, room=1500, most=most)
    make_model_summarizer(lambda: voice)(matter(LONG, target=100))
    assert 1 <= len(asked) <= most
    assert "[User]: Mend a.py" in asked[0]
    assert "make t59" in asked[-1]
    assert all(words(one) <= 1500 for one in asked)
    assert any(GAP in one or "characters ...]" in one for one in asked)


def test_what_is_counted_as_the_model_counts_fits_as_it_counts() -> None:
    voice, asked = model(FIRST, room=5000, count=len)
    make_model_summarizer(lambda: voice)(matter(LONG, target=100))
    assert len(asked) > 2
    assert all(len(one) <= 5000 for one in asked)


def test_a_model_that_reads_too_little() -> None:
    voice, asked = model(FIRST, room=300)
    with pytest.raises(UsageError, match="reads 300 tokens"):
        make_model_summarizer(lambda: voice)(matter(SHORT))
    assert asked == []


def test_what_goes_wrong_is_raised_and_nobody_is_reached_before_there_is_something_to_ask() -> None:
    def call():
        raise InputOutputError("nobody answers")

    write = make_model_summarizer(call)
    with pytest.raises(InputOutputError):
        write(matter(SHORT))


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


TALK = records_of(
    [
        user("Fix the parser in src/csv/read.py. Never touch tests/."),
        *ran("pytest tests/", "E   ValueError: bad row 17\n1 failed", 1),
        *did("edit", {"path": "src/csv/read.py", "old_string": "a", "new_string": "b"}),
        *ran("pytest tests/", "12 passed in 0.5s"),
        said("The quote state was lost at row 17 because next_field() reset it."),
    ]
)
GIVEN = matter(TALK, target=400)
GOOD = render_page(
    SummaryPage(
        "Fix the parser in src/csv/read.py",
        ("The quote state is kept in next_field().",),
        ("Row 17 was the one that failed.",),
        ("Tell the user that 12 passed",),
        ("ValueError: bad row 17, resolved by the edit of src/csv/read.py.",),
    )
)


def test_a_good_page_passes_whole() -> None:
    made = validate_page(GOOD, GIVEN)
    assert not made.fell_back
    assert made.dropped == {}
    text = render_page(made.page)
    for said_ in ("The quote state is kept in next_field().", "Row 17 was the one that failed.", "Tell the user that 12 passed"):
        assert said_ in text
    assert find_breaches(text) == ()


def test_what_must_be_told_is_put_in_where_the_model_forgot_it() -> None:
    text = render_page(validate_page("# Context\n\n## Task\nx\n\n## Facts\n- Row 17 was the one that failed.\n", GIVEN).page)
    assert "Never touch tests/." in text
    assert "src/csv/read.py" in text
    assert "Row 17 was the one that failed." in text


@pytest.mark.parametrize(
    "raw",
    [
        f"<think>Hm, let's see. The user wants...</think>\n{GOOD}",
        f"<thinking>\n# Context\n## Task\nwrong\n</thinking>\n{GOOD}",
        f"Let me think.\n</think>\n\n{GOOD}",
        f"◁think▷ so so ◁/think▷{GOOD}",
        f"<|channel|>analysis<|message|>We need to fill it.<|start|>assistant<|channel|>final<|message|>{GOOD}",
        f"Here is the filled template:\n\n```markdown\n{GOOD}```\n",
        f"Sure!\n{GOOD}",
        GOOD.replace("# Context", "# **Context**"),
        GOOD.replace("## Facts", "**Facts:**"),
        f"[Assistant]: {GOOD}".replace("]: #", "]:\n#"),
    ],
)
def test_whatever_stands_around_the_page_goes(raw) -> None:
    made = validate_page(raw, GIVEN)
    assert not made.fell_back
    assert "Row 17 was the one that failed." in made.page.facts
    text = render_page(made.page)
    assert find_breaches(text) == ()
    for word in ("wrong", "Sure!", "Here is", "Let me think", "We need", "so so", "```", "Hm,"):
        assert word not in text


def test_an_unclosed_thought_is_no_page() -> None:
    made = validate_page("<think>I should ask the user for the files, and then", GIVEN)
    assert made.fell_back
    assert made.page == extract(GIVEN)


def test_bullets_that_the_source_does_not_bear_out_fall_and_are_counted() -> None:
    raw = GOOD.replace("- Row 17", "- Rewrote src/csv/lexer.py in 3 days.\n- I should ask for more.\n- Row 17 was the one that failed.\n- Row 17")
    made = validate_page(raw, GIVEN)
    assert made.dropped == {"not in the source": 1, "meta-commentary": 1}
    text = render_page(made.page)
    assert "lexer" not in text
    assert "I should" not in text
    assert text.count("Row 17 was") == 1


def test_a_page_that_is_mostly_made_up_is_not_believed() -> None:
    raw = "## Task\nMend kernel/sched.c\n\n## Facts\n- 99 files\n- Port 1234\n- Row 17 failed\n- see lib/x.rs\n"
    made = validate_page(raw, GIVEN)
    assert made.fell_back
    assert made.page == extract(GIVEN)
    assert made.dropped["not in the source"] == 4


def test_slots_of_the_template_and_empty_answers_say_nothing() -> None:
    raw = GOOD.replace("- The quote state is kept in next_field().", "[What was decided?]\n- [What was decided?]\n- What was resolved?\n- 3. [What went wrong?]\n- None")
    text = render_page(validate_page(raw, GIVEN).page)
    assert "What " not in text
    assert "None" not in text


def test_sections_without_bullets_are_taken_by_their_sentences() -> None:
    raw = GOOD.replace("- Row 17 was the one that failed.", "\n\nRow 17 was the one that failed. It is mended now.")
    assert "Row 17 was the one that failed." in "\n".join(validate_page(raw, GIVEN).page.facts)


def test_pins_are_there_whatever_the_model_wrote() -> None:
    given_ = GIVEN._replace(pins=("DATABASE=pg://prod never truncate", "two\nlines"))
    text = render_page(validate_page(GOOD, given_).page)
    assert "DATABASE=pg://prod never truncate" in text
    assert "two\nlines" in text


def test_many_bullets_are_cut_to_the_limit() -> None:
    raw = "## Task\nFix\n\n## Facts\n" + "".join(f"- fixed {word}\n" for word in "abcdefghijklmnop")
    made = validate_page(raw, GIVEN)
    assert len(made.page.facts) <= 10
    assert made.dropped["over the limit"] >= 6


@settings(max_examples=count_examples(40), deadline=None)
@given(st.text(alphabet="<>/think# Contex\n-[]TaskFs.1`◁", max_size=120))
def test_whatever_comes_back_a_page_is_made_of_it(raw: str) -> None:
    made = validate_page(raw, GIVEN)
    text = render_page(made.page)
    assert find_breaches(text) == ()
    assert "Never touch tests/." in text


def test_the_target_holds() -> None:
    long = GOOD.replace("- Row 17", "".join(f"- The parser of rows is slow in way {word}.\n" for word in "abcdefg") + "- Row 17")
    given_ = matter(TALK, target=150)
    assert given_.count(render_page(validate_page(long, given_).page)) <= 150


def test_stripping_alone() -> None:
    assert strip_answer("a\n</think>\n# Context\n## Task\nx") == "# Context\n## Task\nx"
    assert strip_answer("## Task\nx\n<think>y") == "## Task\nx\n\ny"


def test_numbers_alone_and_babble_are_no_bullets() -> None:
    page = "# Context\n\n## Task\nMend\n\n## Facts\n- The parser was mended.\n\n## Errors\n- 1\n- 2\n- 7\n- HHHHHHHHHHHH\n- a\n"
    talk = records_of([user("Mend the parser: 7 of its 1 2 tests fail"), said("The parser was mended.")])
    assert parse_page(page) is not None
    made = validate_page(page.replace("- a\n", "- The parser failed.\n- Its tests fail.\n- Mend the tests.\n"), matter(talk))
    assert made.dropped == {"no sentence": 3, "not in the source": 1}
    assert not any(bullet in ("1", "2", "7") for bullet in made.page.errors)


@pytest.mark.parametrize("mark", ["<think>", "<thinking>", "[THINK]", "◁think▷", "<|begin_of_thought|>", "<|channel|>analysis"])
def test_reasoning_that_is_opened_many_times_and_never_closed_takes_linear_time(mark: str) -> None:
    def seconds(size):
        started = process_time()
        strip_answer(mark * (size // len(mark)))
        return process_time() - started

    small = max(min(seconds(8_000) for _ in range(3)), 0.001)
    assert min(seconds(64_000) for _ in range(2)) < 20 * small


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("<Think x>", "</think>"), ("<thinking>", "</thinking>"), ("[Think]", "[/THINK]"), ("◁think▷", "◁/think▷")],
)
def test_reasoning_is_taken_out_whatever_case_its_marks_have(opening: str, closing: str) -> None:
    assert "Hm" not in strip_answer(f"{opening}Hm.{closing}# Context\n## Task\nMend a.py")
