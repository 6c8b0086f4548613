import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.focus.passages import REST, select_passages
from ctxkit.core.text.lines import lines_from_bytes

NOISE = [f"step {number} is done" for number in range(1, 200)]


def select(rows: list[str], focus: str, target: int = 200) -> str | None:
    return select_passages(lines_from_bytes("".join(f"{row}\n" for row in rows).encode()), focus, len, target)


def test_a_line_has_its_number_and_two_lines_around_it() -> None:
    rows = [*NOISE, "  the heron landed", *NOISE]
    assert select(rows, "heron") == (
        "198-step 198 is done\n199-step 199 is done\n200:  the heron landed\n201-step 1 is done\n202-step 2 is done\n"
    )


def test_passages_that_touch_are_one_and_others_are_separated() -> None:
    rows = ["heron a", "", "", "", "heron b", *NOISE, "heron c"]
    assert select(rows, "heron", 400) == (
        "1:heron a\n2-\n3-\n4-\n5:heron b\n6-step 1 is done\n7-step 2 is done\n--\n"
        "203-step 198 is done\n204-step 199 is done\n205:heron c\n"
    )


def test_where_little_fits_lines_stand_alone_and_the_rest_is_said() -> None:
    rows = [*NOISE, *(f"heron {letter}" for letter in "abcdefgh")]
    assert select(rows, "heron", 32) == f"200:heron a\n{REST}"
    assert select(rows, "heron", 5) is None


def test_no_line_with_a_word_gives_nothing() -> None:
    assert select(NOISE, "heron") == ""
    assert select([], "heron") == ""


def test_a_long_line_is_cut_around_the_word() -> None:
    text = select([*NOISE, f"{'x ' * 4000}heron {'y ' * 4000}"], "heron", 2000)
    assert text is not None
    (line,) = [line for line in text.splitlines() if line.startswith("200:")]
    assert len(line) < 300
    assert re.search(r" \[\+\d+ chars\] .*heron", line)


ROWS = st.lists(st.text("ab c\t\u4e00\x1b[31m", max_size=12).map(lambda text: text.replace("\n", "")), max_size=40)


@given(ROWS, st.text("ab c", min_size=1, max_size=8), st.integers(0, 300))
def test_whatever_fits_is_within_the_target_and_true_of_its_lines(rows: list[str], focus: str, target: int) -> None:
    text = select(rows, focus, target)
    if not text:
        return
    assert len(text) <= target
    lines = lines_from_bytes("".join(f"{row}\n" for row in rows).encode())
    numbers = []
    for row in text.removesuffix(REST).splitlines():
        if row != "--":
            match = re.match(r"(\d+)[:-](.*)", row)
            assert match
            numbers.append(int(match[1]))
            plain = re.sub(r"\x1b\[31m|[\x1b]", "", lines.at(int(match[1])))
            assert match[2].strip() in plain
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("target", range(40, 400, 60))
def test_a_larger_target_shows_what_a_smaller_one_does(target: int) -> None:
    rows = [*NOISE, *(f"heron {letter}" for letter in "abcdefgh"), *NOISE, "one more heron"]
    smaller, larger = select(rows, "heron", target), select(rows, "heron", target + 60)
    assert smaller is not None
    assert larger is not None
    assert set(re.findall(r"(\d+):", smaller)) <= set(re.findall(r"(\d+):", larger))
