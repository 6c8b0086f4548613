import pytest

from ctxkit.core.summary.limits import META_COMMENT, apply_limits
from ctxkit.core.summary.template import SummaryPage, render_page
from tests.core.summary.page_breaches import find_breaches

GOOD = render_page(SummaryPage("Do", ("a",), ("b",), ("c",), ("d",)))


def test_a_page_that_keeps_to_the_template_has_no_breaches() -> None:
    assert find_breaches(GOOD) == ()
    assert find_breaches(GOOD + "\n## Mine\nanything\n- at all\n") == ()


@pytest.mark.parametrize(
    ("text", "breach"),
    [
        (GOOD[2:], "it does not begin with # Context"),
        (GOOD.replace("## Facts\n", ""), "its sections are Task, Decisions, Pending, Errors"),
        (GOOD.replace("## Facts", "## X").replace("## Errors", "## Facts").replace("## X", "## Errors"), "its sections are"),
        (GOOD.rstrip(), "it does not end in a newline"),
        (GOOD.replace("- a", "<think>a"), "it holds the mark <think>"),
        (GOOD.replace("- a", "a"), "Decisions has a line that does not begin with -"),
        (GOOD.replace("- [ ] c", "- c"), "Pending has a line that does not begin with - [ ]"),
        (GOOD.replace("- b", "- [ ] b"), "Facts has a box"),
        (GOOD.replace("Do\n", "Do\nmore\n"), "Task has 2 lines, more than 1"),
        (GOOD.replace("Do\n", "- Do\n"), "Task is no sentence"),
        (GOOD.replace("- d", "\n".join(["- d"] * 11)), "Errors has 11 lines, more than 10"),
    ],
)
def test_each_breach_is_named(text, breach: str) -> None:
    assert any(found.startswith(breach) for found in find_breaches(text)), find_breaches(text)


def test_limits_keep_the_first_ten_each_once_on_one_line() -> None:
    page = apply_limits(SummaryPage("a\nb", tuple(f"- {n}\n" for n in range(12)), ("A b!", "a B", "", "**")))
    assert page.task == "a b"
    assert page.decisions == tuple(map(str, range(10)))
    assert page.facts == ("A b!", "**")


@pytest.mark.parametrize("line", ["I should ask", "Let me see", "Okay, so I need to", "Here is the filled template:", "User: hi", "I hope this helps!", "Hope this helps.", "Please let me know.", "If you have any questions, feel free to ask."])
def test_what_a_model_says_of_its_answer_is_known(line: str) -> None:
    assert META_COMMENT.match(line)


@pytest.mark.parametrize("line", ["Use Redis", "Index rebuilt in 3 s", "letters are counted", "Inlined the call", "User.name is unique", "If the port is taken, the server exits", "Please use tabs", "Hope is a package"])
def test_what_it_says_of_the_conversation_is_not(line: str) -> None:
    assert not META_COMMENT.match(line)
