import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.brief.kinds.test_table import mapped
from tests.example_counts import count_examples


def commands(sizes):
    for number, size in enumerate(sizes):
        yield f"$ command {number}\n" + "".join(f"row {line} of {number}\n" for line in range(size))


def test_small_parts_stand_as_they_are_and_large_ones_have_a_map() -> None:
    text = "".join(commands((3, 900, 30))) + "error: it failed\n"
    briefing = mapped(text, 600)
    assert briefing.kind == "parts"
    assert "## 3 commands\n- Lines 1-4: part 1\n  - 1: $ command 0\n" in briefing.text
    assert "- Lines 5-905: part 2\n" in briefing.text
    assert f"  - {text.count(chr(10))}: error: it failed\n" in briefing.text


@pytest.mark.slow
@settings(deadline=None, max_examples=count_examples(25))
@given(st.lists(st.integers(0, 60), min_size=2, max_size=30), st.integers(200, 2_000))
def test_every_quotation_stands_on_its_line_and_the_target_holds(sizes: list[int], target: int) -> None:
    text = "".join(commands(sizes))
    rows = text.split("\n")
    briefing = mapped(text, target)
    assert briefing.tokens <= target
    for line in briefing.text.split("\n"):
        number, colon, quotation = line.strip().removeprefix("- ").partition(": ")
        if line.lstrip().startswith("- ") and number.isdigit() and colon:
            assert quotation.strip() in rows[int(number) - 1]


def test_members_of_json_are_no_errors_of_a_part() -> None:
    table = "Package   Version\n--------- -------\n" + "".join(f"package{n:<3} {n}.0.1\n" for n in range(30))
    rows = "".join(f'  {{\n    "name": "n{n}",\n    "text": "an error occurred"\n  }},\n' for n in range(200))
    briefing = mapped(f'{table}[\n{rows}  {{}}\n]\n', 900)
    assert briefing.kind == "parts"
    assert "an error occurred" not in briefing.text.split("\n## ")[1]
