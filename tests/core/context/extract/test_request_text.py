import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.request_text import (
    clean_text,
    clip_beginning,
    clip_closed,
    clip_end,
    find_steps,
    flatten_text,
    quote_parts,
)

CONFLICT = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd"


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("# Title\n\n> Fix it.\n- a\n- b", "Title Fix it. - a - b"),
        ('Say "x".', "Say 'x'."),
        ("It says:\n```py\nx = 1\nValueError: wrong\n```\nWhy?", "It says: 'ValueError: wrong' [and 1 more pasted lines] Why?"),
        ("It says:\n```\n\n```\nWhy?", "It says: Why?"),
        ("It says:\n```\nopen\nend", "It says: open end"),
        ("Run ```make``` now", "Run ```make``` now"),
        ("Two tasks:\n1) Fix it (soon).\n2) Test it.", "Two tasks: 1. Fix it (soon). 2. Test it."),
    ],
)
def test_a_text_on_a_line(text, flat) -> None:
    assert flatten_text(text) == flat


@pytest.mark.parametrize("end", [">>>>>>> theirs", "> > > > > > > theirs"])
def test_of_a_conflict_the_first_side_stays(end) -> None:
    assert clean_text(CONFLICT.replace(">>>>>>> theirs", end)) == "a\nb\nd"
    assert clean_text("a\n<<<<<<< ours\nb") == "a\n<<<<<<< ours\nb"


def test_the_prompt_below_a_task_is_left_out() -> None:
    assert clean_text("Fix it.\n(Open file: n/a)\n(Current directory: /)\nbash-$") == "Fix it."
    assert clean_text("bash-$") == "bash-$"


def test_parts_say_how_much_they_leave_out() -> None:
    text = "one two. " + "x " * 500 + "Now (please) do it."
    first = next(quote_parts(text))
    assert first.startswith('The request begins "one two. x x')
    assert first.endswith('x x Now (please) do it." (289 characters between are left out).')
    beginning, end = (part.strip("… ") for part in first.split('"')[1:4:2])
    assert len(beginning) + len(end) + 289 == len(text) == 1028
    assert list(quote_parts("short text")) == []


def test_without_an_end_that_closes_its_brackets_the_beginning_is_quoted() -> None:
    first = next(quote_parts("Fix the parser. " * 30 + "[" + "Note. " * 80 + "]"))
    assert first.startswith('The request begins "Fix the parser. Fix')
    assert first.endswith('Fix …" (543 characters after that are left out).')


def test_a_few_characters_are_not_left_out() -> None:
    text = ("ab " * 250).strip()
    assert next(quote_parts(text)).endswith(f"({len(text) - 260 - 200} characters between are left out).")


@given(st.text("ab .()`[]“”言", max_size=80), st.integers(1, 60))
def test_parts_are_verbatim_and_closed(text, max_chars) -> None:
    flat = " ".join(text.split())
    beginning, end = clip_beginning(flat, max_chars), clip_end(flat, max_chars)
    assert flat.startswith(beginning)
    assert flat.endswith(end)
    assert max(len(beginning), len(end)) <= max(max_chars, 1) + 1
    if len(flat) > max_chars:
        for part in (beginning, end):
            assert part.count("(") == part.count(")")
            assert part.count("`") % 2 == 0


@pytest.mark.slow
def test_long_texts_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("<<<<<<< a\n" * 50_000, "```\n" * 100_000, "( " * 200_000, '"' * 400_000):
        list(quote_parts(flatten_text(text)))
    assert time.perf_counter() - begin < 10


def test_the_titles_of_numbered_steps_outline_what_is_left_out() -> None:
    text = "Consider the input. " * 30 + "\n1. **Load**: x\n2. **Generate tasks.md:** y\n  3) **Report**\n" + "Then stop. " * 40
    assert find_steps(text) == ["Load", "Generate tasks.md", "Report"]
    assert find_steps("1. **Load**: x\n2. **Report**: y") == []
    first = next(quote_parts(flatten_text(text), find_steps(text)))
    assert ' …", has the steps "Load", "Generate tasks.md", "Report", and ends "… ' in first


def test_instructions_in_a_block_of_code_whose_end_was_lost_are_no_code() -> None:
    orders = "Fix 3 — Return 401 from the middleware.\nAdd a table of revoked tokens.\nRun the unit tests to confirm they pass."
    lost = f"Fix it:\n```typescript\nconst a = 1;\n{orders}\n```"
    assert "pasted lines" not in flatten_text(lost)
    assert flatten_text(lost).endswith("Run the unit tests to confirm they pass.")
    for text in (lost.replace("typescript", "markdown"), lost.replace("Add a", "// Add a")):
        assert "more pasted lines" in flatten_text(text)


def test_a_log_above_words_in_another_script_is_left_out_unless_it_tells_of_an_error() -> None:
    log = "api-1  | Operations to perform:\napi-1  | Running migrations:\napi-1  | Applying api.0003... OK\n"
    words = '하지만 table은 그대로임 CREATE TABLE "early" (\n"id" BIGINT\n)'
    assert clean_text(f"{log}api-1  | Performing checks... {words}") == words
    assert clean_text(f"{log}{words}") == words
    failed = f"{log}api-1  | error: no such table\n{words}"
    assert clean_text(failed) == failed
    assert clean_text(f"{log}but the table is the same") == f"{log}but the table is the same"


@given(st.text("ab .()`[]", max_size=60), st.integers(1, 60))
def test_a_closed_beginning_closes_its_brackets(text, max_chars) -> None:
    flat = " ".join(text.split())
    beginning = clip_closed(flat, max_chars)
    bare = beginning.removesuffix(" …")
    assert flat.startswith(bare)
    assert bare.count("(") == bare.count(")")
    assert bare.count("`") % 2 == 0
    assert (beginning == bare) == (bare in (flat, ""))


def test_a_beginning_is_cut_where_a_bracket_stays_open() -> None:
    assert clip_closed("Use a queue (or", 40) == "Use a queue …"
    assert clip_closed("Use it", 40) == "Use it"
