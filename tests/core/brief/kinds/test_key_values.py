import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import key_values as kind
from tests.example_counts import count_examples


def make_settings(groups=("fs", "kernel", "vm"), number=30):
    return "".join(f"{group}.key{at:02}x = {at * 1024 or 'text'}\n" for group in groups for at in range(number))


def test_keys_are_grouped_by_prefix_with_their_lines(trial) -> None:
    text = trial(kind).map(make_settings())
    assert "- Lines 1-90: 90 keys as `key = value`" in text
    assert "- Lines 31-60: kernel.: key00x = text; key01x = 1024;" in text


def test_a_small_target_shows_the_groups_and_a_few_values(trial) -> None:
    text = trial(kind).map(make_settings(number=100), target=250)
    assert "- Lines 101-200: kernel. (100)" in text


@pytest.mark.parametrize(("line", "sign"), [("ERROR: wrong size at x.ps1:12", ": "), ("only.key = 5", " = ")])
def test_the_only_key_of_its_prefix_stands_as_it_is(trial, line: str, sign: str) -> None:
    rows = [f"Line {at}{sign}fine here\n" for at in range(40)]
    assert f"- Line 21: {line}\n" in trial(kind).map("".join([*rows[:20], f"{line}\n", *rows[20:]]))


def test_values_that_say_nothing_are_counted(trial) -> None:
    text = trial(kind).map("".join(f"net.a.k{at}x = 0\nnet.b.k{at}x = on{at}\n" for at in range(20)))
    assert "40 keys as `key = value`; 20 are 0, empty or off" in text


def test_a_key_that_occurs_again_is_named_with_its_values(trial) -> None:
    text = trial(kind).map(make_settings() + "vm.mode = fast\nvm.mode = slow\n")
    assert "## Keys that occur more than once (1)\n- vm.mode: fast (91), slow (92)" in text


def test_lines_without_a_key_are_quoted(trial) -> None:
    text = trial(kind).map("reading: permission was denied\n" + make_settings())
    assert "## Lines without a key (1)\n- 1: reading: permission was denied" in text


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("name.part{}x: {}\n", "as `key: value`"),
        ("name_part{}x {}\n", "in two columns"),
        ("display_part_{}x => On {}\n", "as `key => value`"),
    ],
)
def test_other_signs_end_a_key(trial, line: str, how: str) -> None:
    text = trial(kind).map("".join(line.format(chr(97 + at), at) for at in range(25)))
    assert f"25 keys {how}" in text


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"word{at} goes on and on\n" for at in range(40)),
        "".join(f"file_{at % 3}.py: message {at}\n" for at in range(40)),
        "".join(f"x = {at}\nprint(x)\n" for at in range(40)),
        "a = 1\n" * 40,
    ],
)
def test_other_content_is_left_alone(trial, text) -> None:
    assert trial(kind).known(text) != "key_values"


@given(st.lists(st.sampled_from(["a.b = 1", "c: 2", "  d", "", "[s]", "# c", "k_x 3", "\x1b[1mx = y\x1b[0m", "é=ü"]), max_size=90))
@settings(max_examples=count_examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows: list[str]) -> None:
    trial(kind).check("\n".join([*(f"key.k{at} = {at}" for at in range(30)), *rows]), 300)
