from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.edge import options, say
from ctxkit.edge.command_group import Verb
from ctxkit.edge.request import CliRequest

WINDOW = ("--model", "--window", "--reserve", "--used", "--tokenizer", "--session")
MAP = ("--name", "--type", "--focus", "--hint")
GATE = ("--limit", "--no-store", "--strict", "--events")
VOICE = ("-q", "-v")


@pytest.fixture(autouse=True)
def _loudness(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(say, "_verbosity", 0)


def invoke(added, *args):
    """Call a command with the options and return what it was given."""

    @click.command(cls=Verb)
    @added
    @options.json_option
    @options.file_argument
    def command(request, as_json, file):
        """Do it."""
        return request, as_json, file

    return CliRunner().invoke(command, args, standalone_mode=False)


def test_nothing_asked_is_nothing_given() -> None:
    for added in (options.add_window_options, options.add_brief_options, options.add_gate_options):
        assert invoke(added).return_value == (CliRequest(), False, "-")


def test_what_is_asked_comes_together_and_the_rest_by_itself() -> None:
    args = (
        *("--model", "opus", "--window", "1000", "--reserve", "10%", "--used", "7", "--tokenizer", "qwen3"),
        *("--name", "log", "--type", "text", "--focus", "disk", "--hint", "sed"),
        *("--limit", "50", "--no-store", "--strict", "--events", "events.jsonl", "--json", "file.txt"),
    )
    asked = CliRequest("opus", 1000, "10%", 7, "qwen3", None, 50, "log", "text", "disk", "sed", True, True, "events.jsonl")
    assert invoke(options.add_gate_options, *args).return_value == (asked, True, "file.txt")


@pytest.mark.parametrize(
    ("added", "has", "lacks"),
    [
        (options.add_window_options, (*WINDOW, *VOICE), (*MAP, *GATE)),
        (options.add_brief_options, (*WINDOW, *MAP, *VOICE), GATE),
        (options.add_gate_options, (*WINDOW, *MAP, *GATE, *VOICE), ()),
    ],
    ids=["window", "brief", "gate"],
)
def test_each_group_has_its_options_and_no_others(added, has, lacks) -> None:
    text = invoke(added, "--help").output
    assert all(f"  {name}" in text for name in has)
    assert not any(f"  {name} " in text for name in lacks)


def test_the_help_of_the_command_is_kept() -> None:
    assert "  Do it.\n" in invoke(options.add_gate_options, "--help").output


@pytest.mark.parametrize(
    ("args", "loudness"),
    [((), 0), (("-q",), -1), (("-v",), 1), (("--quiet", "--verbose"), 0), (("--verbose",), 1)],
)
def test_q_and_v_turn_the_talk_and_do_not_reach_the_command(args, loudness: int) -> None:
    assert invoke(options.add_window_options, *args).return_value[0] == CliRequest()
    assert say._verbosity == loudness


@pytest.mark.parametrize(
    "args",
    [
        ("--window", "0"),
        ("--window", "-1"),
        ("--window", str(10**12 + 1)),
        ("--window", "8x"),
        ("--used", "-1"),
        ("--limit", "-1"),
        ("--limit", str(10**12 + 1)),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(args) -> None:
    error = invoke(options.add_gate_options, *args).exception
    assert isinstance(error, click.BadParameter)


def test_the_largest_number_that_makes_sense_is_taken() -> None:
    asked, _, _ = invoke(options.add_gate_options, "--window", str(10**12), "--used", "0", "--limit", "0").return_value
    assert (asked.window, asked.used, asked.limit) == (10**12, 0, 0)


@pytest.mark.parametrize("name", ["--format", "--skip-bad", "--in-place", "--expand", "--files-from"])
def test_an_option_of_several_commands_is_spelled_once(name: str) -> None:
    files = [path for path in Path(options.__file__).parents[1].rglob("*.py") if f'"{name}"' in path.read_text()]
    own = {"tools.py"} if name == "--format" else set()  # the former spelling of another option
    assert [path.parent.name for path in files if path.name not in {"suggestions.py", *own}] == ["edge"]


class Size(NamedTuple):
    rows: int | None = 3
    name: str = "none"


def test_values_of_options_come_as_one_named_tuple() -> None:
    @click.command()
    @click.option("--rows", type=int)
    @click.option("--wide", is_flag=True)
    @options.collect_values(Size, "size")
    def command(size, wide):
        """Do it."""
        return size, wide

    result = CliRunner().invoke(command, ("--rows", "7", "--wide"), standalone_mode=False)
    assert result.return_value == (Size(7, "none"), True)


def test_the_hosts_are_those_with_a_profile() -> None:
    assert tuple(PROFILES) == options.HOSTS
