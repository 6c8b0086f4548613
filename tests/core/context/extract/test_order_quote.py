"""A long request is quoted by the sentences that say what is to be done."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.order_quote import rank_sentences
from ctxkit.core.context.extract.request_quote import find_task_sentence
from ctxkit.core.context.page_rules import find_fault

TALK = "The page was slow for some weeks and many people wrote to us about that. "
AUDIT = f"""You are a senior engineer. {TALK * 3}

### Fix 1 — Return 401 from the middleware
{TALK * 3}
### Fix 2 — Document the limits
{TALK * 3}Add a table of limits to README.md.

```ts
const a = 1;
```
{TALK * 3}
Finally run the tests."""


def quote(text: str, max_chars: int) -> str:
    """Return the quotation of a request in at most so many characters."""
    return rank_sentences(text, find_task_sentence(text)).quote(max_chars)


def test_the_orders_and_the_heads_of_items_stand_in_their_order() -> None:
    assert quote(AUDIT, 175) == (
        'The request says "You are a senior engineer. … Fix 1 — Return 401 from the middleware; … Fix 2 — Document the'
        ' limits; … Add a table of limits to README.md. … Finally run the tests" (13 sentences are left out).'
    )


def test_a_smaller_quotation_keeps_the_first_sentence_and_the_last_order() -> None:
    assert quote(AUDIT, 100) == (
        'The request says "You are a senior engineer. … Fix 1 — Return 401 from the middleware; … Finally run the tests"'
        " (15 sentences are left out)."
    )
    assert quote(AUDIT, 20) == ""


def test_orders_in_other_languages_are_chosen() -> None:
    text = "番茄 app 位于 /mnt/d/axs。" + "背景是这样的，很多用户都在等待这个功能。" * 20 + "请把函数接入新的库。"
    assert quote(text, 60) == 'The request says "番茄 app 位于 /mnt/d/axs。 背景是这样的，很多用户都在等待这个功能。 … 请把函数接入新的库。" (19 sentences are left out).'


def test_a_label_without_its_lines_and_a_line_of_output_are_left_out() -> None:
    text = f"Please find the reason.\nThe output:\nERROR: a.db is locked\n{TALK * 9}\nTell me the steps."
    quoted = quote(text, 170)
    assert "Please find the reason. …" in quoted
    assert "The output:" not in quoted
    assert "ERROR" not in quoted


def test_a_label_is_quoted_with_the_short_line_after_it() -> None:
    text = f"{TALK * 9}\nProcess the tasks of this document:\n\n/work/plan.md\n\n{TALK}"
    assert 'Process the tasks of this document: /work/plan.md' in quote(text, 260)
    assert rank_sentences(f"{TALK}\nDo this: {TALK}", "Do this:").select(30) == ""


def test_a_sentence_with_an_address_in_brackets_ends_before_it() -> None:
    text = f"I want a page for each day of [https://a.dev/b](https://a.dev/b) . {TALK * 9}"
    assert quote(text, 200).startswith('The request says "I want a page for each day of … The page was slow')


def test_a_text_without_an_order_is_no_request() -> None:
    assert quote("It became slow. It shows the page late. " * 12, 90).startswith('The user sent a text that says "It became slow.')


def test_a_long_sentence_is_cut_at_a_word() -> None:
    text = f"Build it. {'Use the word again and ' * 30}stop."
    assert rank_sentences(text, "Build it.").select(100) == "Build it. Use the word again and Use the word again and Use the word …"


@given(st.lists(st.sampled_from(["Fix a.py.", "# Plan", "It (is", "Why?", '"x" y', "1. Use `a", "修复。", "So:", "- b c d"]), max_size=12), st.integers(20, 200))
def test_quotations_keep_the_rules_of_a_task(lines: list[str], max_chars: int) -> None:
    quoted = quote("\n".join(lines), max_chars)
    assert not quoted or not find_fault("Task", quoted)
    assert len(quoted) <= max_chars + len('The user sent a text that says "" (99 sentences are left out).')


def test_long_requests_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("please do. " * 9_000, "# x y\n" * 9_000, "必ず" * 30_000, "- a b c\n" * 9_000, "(" * 90_000, "**" * 40_000):
        quote(text, 500)
    assert time.perf_counter() - begin < 10


def test_a_pasted_list_of_names_outweighs_no_order() -> None:
    tags = "\n".join(f"{number}. Night Dashboard {number}" for number in range(1, 41))
    text = f"You build pages. Project root: /srv/app\n\nDesign: Dash, a kit of pages.\n\nTags:\n\n{tags}\n\n41. Clean Dashboard\n\nMake the page for the given design."
    assert quote(text, 240) == (
        'The request says "You build pages. Project root: /srv/app; Design: Dash, a kit of pages. … '
        'Make the page for the given design" (41 sentences are left out).'
    )
    steps = text.replace("Night Dashboard", "Add the page")
    assert "Add the page 1;" in quote(steps, 240)
