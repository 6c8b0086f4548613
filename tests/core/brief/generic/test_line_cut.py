"""Cutting long lines."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.line_cut import cut_line
from ctxkit.core.brief.outline import MARK_LENGTH

FATAL = (
    'fatal: [db1]: FAILED! => {"changed": true, "cmd": ["cat", "/etc/app/db1.conf"], "delta": "0:00:00.032602", '
    '"end": "2026-11-25 20:19:32.079669", "msg": "non-zero return code", "rc": 1, "start": "2026-11-25", '
    '"stderr": "cat: /etc/app/db1.conf: No such file or directory", "stdout": "", "stdout_lines": [], "more": "none of it"}'
)


EVENT = f'  Warning  FailedMount  38s (x14)  kubelet{"":40}MountVolume failed for volume "tls" : secret "web-tls-2027q1" not found'


def test_what_was_not_found_stands_before_the_reason() -> None:
    assert cut_line(EVENT, 60).endswith('web-tls-2027q1" not found')


def rejoin(cut: str, text: str) -> str:
    """Put back what the marks of a cut stand for."""
    whole = ""
    for part in re.split(r"( \[\+\d+ chars\] ?)", cut):
        mark = re.fullmatch(r" \[\+(\d+) chars\] ?", part)
        whole += text[len(whole) : len(whole) + int(mark[1])] if mark else part
    return whole


def test_a_short_line_stays() -> None:
    assert cut_line("a" * (80 + MARK_LENGTH), 80) == "a" * (80 + MARK_LENGTH)


def test_a_long_line_ends_in_the_number_of_characters_left_out() -> None:
    assert cut_line("word " * 100, 80) == f"{'word ' * 16}".rstrip() + " [+420 chars]"


def test_an_indentation_that_takes_half_of_the_width_is_left_out() -> None:
    assert cut_line(" " * 50 + "x" * 90, 80) == "x" * 90


def test_the_reason_of_a_failure_is_quoted_from_the_middle() -> None:
    cut = cut_line(FATAL, 120)
    assert cut.startswith("fatal: [db1]: FAILED! => {")
    assert "] cat: /etc/app/db1.conf: No such file or directory" in cut
    assert len(cut) < 120 + 3 * MARK_LENGTH
    assert rejoin(cut, FATAL) == FATAL


def test_a_line_without_trouble_is_cut_at_its_end_only() -> None:
    text = 'ok: {"changed": true, ' + "word " * 40 + '"stderr": "No such file"}'
    assert cut_line(text, 100).count("chars]") == 1


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=40), st.integers(60, 400), st.data())
def test_marks_count_what_they_stand_for(word: str, width: int, data: st.DataObject) -> None:
    words = st.sampled_from([word or "x", "not found", "error:", '"cannot open"', "{", "12"])
    text = "error: " + " ".join(data.draw(st.lists(words, min_size=1, max_size=80)))
    cut = cut_line(text, width)
    assert len(cut) <= width + 3 * MARK_LENGTH
    assert rejoin(cut, text) == text
