"""The maps of tests/cases/brief are those that the command prints, and every kind of content has one."""

import re
import shlex

import pytest

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines

pytest.importorskip("tools.goldens", reason="the tools are in the repository alone")

from bench.claims import occurs
from tools.goldens import read_cases, read_outputs, run_case

CASES = [case for case in read_cases() if case.command == "brief"]
FALLBACKS = {"text", "binary"}
"""Kinds that map what no other kind claims: their cases come with their next change."""
each = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def detect_kind(case):
    """Return the name of the module that maps the input of a case."""
    data, options = (case.folder / "input").read_bytes(), shlex.split(case.options)
    content = lines.lines_from_bytes(data)
    document = InputDocument(content, content.read, len, 2_000, options[options.index("--name") + 1])
    return kind_detection.rank_kinds(document)[0][0].__name__.rpartition(".")[2]  # type: ignore[attr-defined]


@pytest.mark.quick_cases(14)
@each
def test_the_briefing_is_what_the_command_prints(case) -> None:
    printed = run_case(case)
    assert printed == read_outputs(case, printed), "`make goldens` writes it anew; review the diff"


@pytest.mark.quick_cases(27)
@each
def test_a_case_is_of_the_kind_that_its_name_begins_with(case) -> None:
    kind = detect_kind(case)
    assert case.name == kind or case.name.startswith(f"{kind}_")


@pytest.mark.slow
def test_every_kind_has_a_case() -> None:
    kinds = {kind.__name__.rpartition(".")[2] for kind in kind_detection.all_kinds()}  # type: ignore[attr-defined]
    assert kinds - FALLBACKS == {detect_kind(case) for case in CASES} - FALLBACKS


@each
def test_what_a_map_quotes_stands_on_the_line_that_it_names(case) -> None:
    rows = (case.folder / "input").read_text().splitlines()
    quotations = re.findall(r"^ *- (\d+): (.*)$", read_outputs(case, ["briefing"])["briefing"], re.MULTILINE)
    assert [number for number, text in quotations if not occurs(text, rows[int(number) - 1])] == []


@each
def test_the_target_leaves_no_room_for_the_whole_input(case) -> None:
    options = shlex.split(case.options)
    tokens = re.search(r", (?:about )?([\d,]+) tokens", read_outputs(case, ["briefing"])["briefing"])[1]
    assert int(options[options.index("--target") + 1]) < int(tokens.replace(",", ""))
