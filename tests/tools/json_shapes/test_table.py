"""Each shape of --json has a schema, and output of each mode is valid under its schema."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import ValidationError  # type: ignore[import-untyped]

from tests.conftest import Run
from tests.json_outputs import MODES, check_output, find_shape
from tools.json_shapes.table import SHAPES
from tools.pages.tree import tree

DOCUMENT = Path(__file__).parents[3] / "docs" / "json.md"
BY_NAME = {shape.name: shape for shape in SHAPES}


def test_each_command_with_json_has_a_shape_and_no_two_have_one_name() -> None:
    names = {verb.name for verb in tree().walk() if any("--json" in option.opts for option in verb.options)}
    assert {name.removeprefix("ctxkit ") for name in names} == {shape.command for shape in SHAPES}
    assert len(BY_NAME) == len(SHAPES)
    assert [shape.name for shape in SHAPES] == sorted(BY_NAME)


def test_the_documentation_has_a_row_for_each_shape() -> None:
    rows = re.findall(r"^\| `([\w ]+)` \| (.*?)\| ([\w ]+) \| `([\w-]+)\.json` \|$", DOCUMENT.read_text(), re.MULTILINE)
    layouts = {"object": "one object", "lines": "JSON lines", "array": "an array"}
    places = {"stdout": "", "stderr": " on stderr"}
    assert [(command, options.replace("`", "").strip(), output, name) for command, options, output, name in rows] == [
        (shape.command, shape.options, layouts[shape.layout] + places[shape.stream], shape.name) for shape in SHAPES
    ]


def test_the_help_of_json_says_the_layout() -> None:
    words = {"object": "object", "lines": "line", "array": "--output-format json"}
    for verb in tree().walk():
        shapes = [shape for shape in SHAPES if shape.command == verb.name.removeprefix("ctxkit ")]
        texts = [option.help or "" for option in verb.options if "--json" in option.opts]
        assert all(any(words[shape.layout] in text for shape in shapes) or "report" in text for text in texts), verb.name


@pytest.mark.parametrize("name", MODES)
def test_the_output_of_a_mode_has_its_shape(name: str, run: Run, tmp_path: Path) -> None:
    run("gate", "--window", "9000", "--events", "log", stdin="few words", cwd=tmp_path)
    words, data = MODES[name]
    assert find_shape([*words]) is BY_NAME[name]
    done = run(*words, stdin=data, cwd=tmp_path)
    assert done.out, done.err
    check_output(BY_NAME[name], done.out.decode())


def test_a_disabled_gate_has_the_shape_of_gate(run: Run) -> None:
    done = run("gate", "--window", "9000", "--json", stdin="few words", env={"CTXKIT_DISABLE": "1"})
    check_output(BY_NAME["gate"], done.out.decode())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cache-gc", '{"removed": 1, "bytes": 2, "young": 0, "old": 3}'),
        ("cache-gc", '{"removed": 1, "bytes": 2}'),
        ("cache-gc", '{"removed": "1", "bytes": 2, "young": 0}'),
        ("trust-list", '[{"file": "f", "trusted": []}]'),
        ("snapshot-load", json.dumps({"method": "guess"})),
    ],
)
def test_output_of_another_shape_is_invalid(name: str, text: str) -> None:
    with pytest.raises(ValidationError):
        check_output(BY_NAME[name], text)
