from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.summary.page import extract
from ctxkit.core.summary.page_validation import strip_answer, validate_page
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page
from tests.core.summary.page_breaches import find_breaches
from tests.core.summary.talk import did, matter, ran, records_of, said, user
from tests.example_counts import count_examples

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
