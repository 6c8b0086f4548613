"""The net effect of maps is weighed against what the host lets in, and what is read back."""

import pytest

from bench.compact.said import Did, Said
from bench.figure import Figure
from bench.net import CUTS, Effect, Tally, _report, find_needed_ranges, keep_ends, replay_session, weigh_output

LOG = "".join(f"{number}: step_{number:04} is well\n" for number in range(1_000))
MAP = "a map of step_0000 and step_0999\n"


def show(text: str) -> str:
    return MAP if text == LOG else text


def call(command: str) -> Said:
    return Said("assistant", did=[Did("c2", "bash", {"command": command})])


def test_hosts_keep_the_ends_of_long_output() -> None:
    assert keep_ends("abcdef", 2, 1) == "abf"
    assert keep_ends("abc", 2, 1) == "abc"
    assert keep_ends("abcdef", 2, 0) == "ab"
    assert CUTS["pi"]("x\n" * 3_000) == "x\n" * 2_000
    assert len(CUTS["pi"]("x" * 60_000)) == 50_000


def test_what_the_agent_uses_later_is_read_back() -> None:
    assert find_needed_ranges(LOG, MAP, [], [call("grep step_0500 log")]) == [(480, 521)]
    assert find_needed_ranges(LOG, MAP, [], [call("step_0500 step_0510 step_0900")]) == [(480, 531), (880, 921)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [call("step_0999")]),
        ([Said("user", "look at step_0500")], [call("step_0500")]),
        ([], [Said("tool", "step_0500")]),
        ([], [call("step_5000")]),
    ],
)
def test_what_is_known_or_unused_is_not_read_back(before: list[Said], after: list[Said]) -> None:
    assert find_needed_ranges(LOG, MAP, before, after) == []


def test_a_session_sums_its_results() -> None:
    rows = [call("make"), Said("tool", "few words", answers="c1"), Said("tool", LOG, answers="c2"), call("grep step_0500")]
    effect = replay_session(rows, str, show, 7_500)
    assert (effect.maps, effect.reads) == (1, 1)
    assert effect.net == effect.without - effect.entered - effect.read > 0
    assert replay_session(rows, str, show, 100).read == 160


def test_a_single_output_is_read_so_often() -> None:
    effects = [weigh_output(LOG, MAP, str, reads, 7_500) for reads in (0, 1, 3)]
    assert [effect.reads for effect in effects] == [0, 1, 3]
    assert effects[0].net > effects[1].net > effects[2].net
    assert weigh_output("few", "few", str, 3, 7_500) == Effect(1, 1)


def test_losses_are_reported() -> None:
    tally = Tally()
    for effect in (Effect(900, 100, 50, 1, 1), Effect(100, 90, 60, 2, 1), Effect(7, 7)):
        tally.add(effect)
    figure = _report("codex", tally)
    assert figure == Figure("net", "codex", "700 of 1,007 tokens kept out (69.5%)", notes=figure.notes)
    assert (figure.notes[0], figure.notes[-1]) == ("2 maps in 2 of 3", "losses: 1 of 2, -50 tokens")
