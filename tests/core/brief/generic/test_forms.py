from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import (
    BLANK,
    COLON,
    INDENTED,
    RULE,
    TITLE,
    LineForms,
    make_shape,
    mask_block,
    mask_line,
)
from ctxkit.core.text.lines import lines_from_bytes


def forms_of(*rows):
    return LineForms(lines_from_bytes("\n".join(rows).encode()))


def test_words_with_digits_are_masked_and_the_others_stay() -> None:
    assert mask_line("took 12.5ms at /tmp/x1/y for  build-77") == "took 0 at 0 for 0"
    assert mask_line("error[E0308]: mismatched") == "error[0]: mismatched"


def test_colours_do_not_make_another_form() -> None:
    assert mask_line("\x1b[31mfailed\x1b[0m 3") == mask_line("failed 44")


def test_a_shape_keeps_the_punctuation() -> None:
    assert make_shape("==> a/b.c <==") == make_shape("==> d/e/f <==")
    assert make_shape("key = value") != make_shape("key: value")


def test_flags_tell_blank_lines_rules_titles_and_margins() -> None:
    forms = forms_of("title:", "  text", "", "=====", "==> a <==")
    flags = [forms.flags_of(number) & 31 for number in range(1, 6)]
    assert flags == [COLON, INDENTED, BLANK, RULE, TITLE]


def test_a_line_that_ends_in_a_rule_is_a_title() -> None:
    forms = forms_of("TASK [Gather facts] *****", "PLAY RECAP ======", "file.py | 3 ---", "a_____", "= b =")
    assert [forms.flags_of(number) & TITLE for number in range(1, 6)] == [TITLE, TITLE, 0, 0, 0]


def test_lines_of_one_form_are_counted_with_their_first_and_last_line() -> None:
    forms = forms_of("a", "step 1", "step 2", "b", "step 30")
    form = forms.form_of(2)
    assert (forms.counts[form], forms.firsts[form], forms.lasts[form]) == (3, 2, 5)


@given(st.lists(st.sampled_from(["a 1", "a 2", "b", "", "\x1b[1mc", "漢字 7"]), min_size=1, max_size=50))
def test_the_counts_of_all_forms_are_the_number_of_lines(rows: list[str]) -> None:
    forms = forms_of(*rows)
    assert sum(forms.counts) == forms.total == len(forms.ids)


def test_trouble_is_rated_line_by_line() -> None:
    forms = forms_of("found 0 errors", "found 3 errors", "ok")
    assert [number for number, _ in forms.iter_trouble()] == [2]


def test_the_forms_around_a_line_are_listed_from_the_nearest() -> None:
    forms = LineForms(lines_from_bytes(b"a\n\nb\nc"))
    assert list(forms.list_before(3, 5)) == [0, forms.form_of(1)]
    assert list(forms.list_before(4, 1)) == [forms.form_of(3)]
    assert list(forms.list_after(2, 1)) == [forms.form_of(3)]
    assert (list(forms.list_before(1, 9)), list(forms.list_after(4, 9))) == ([], [])


@given(st.lists(st.text(alphabet="ab1 .:/-\t\r\x1b[m\u2003", max_size=12) | st.just("a 1  b " * 40), max_size=6))
def test_the_lines_of_a_block_have_the_forms_of_single_lines(rows: list[str]) -> None:
    masked = list(mask_block("\n".join(rows)))
    assert [text for text, _ in masked] == ([row.removesuffix("\r") for row in rows] or [""])
    assert all(form in (None, mask_line(text)) for text, form in masked)
