"""JSON that is nested too deep: the same answer of every command that reads JSON."""

from pathlib import Path

import pytest

from tests.conftest import Run

MESSAGE = '{"role": "user", "content": %s}'
DEEP = (600, 980, 1_020, 2_000, 100_000)
"""Levels: more than are handled, about as many as the two parsers take, and more than either takes."""
READERS = (
    ("compact", "--model", "qwen3-30b"),
    ("compact", "--model", "qwen3-30b", "--force"),
    ("compact", "--check"),
    ("edit", "list"),
    ("edit", "remove", "1"),
    ("session", "append", "s"),
    ("snapshot", "save", "s"),
)


def nested(levels):
    return "[" * levels + "]" * levels


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("levels", DEEP)
def test_a_conversation_that_is_nested_too_deep_is_malformed(run: Run, levels: int) -> None:
    assert run("session", "new", "s", "--model", "qwen3-30b").status == 0
    message = MESSAGE % nested(levels)
    for data in (f"[{message}]", f'{MESSAGE % 1}\n{message}\n'):
        for argv in READERS:
            done = run(*argv, stdin=data)
            assert (argv, done.status, done.out) == (argv, 65, b"")
            assert "nested too deep" in done.err
    assert run("count", "--format", "openai", stdin=f"[{message}]").status in (0, 65)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("levels", DEEP)
def test_other_json_that_is_nested_too_deep_is_malformed_or_mapped(run: Run, levels: int) -> None:
    value = nested(levels)
    assert run("usage", stdin=f'{{"usage": {value}}}').status == 65
    assert run("count", stdin=f"[{MESSAGE % value}]").status == 0
    for argv in (("brief", "--type", "json"), ("brief",), ("gate", "--window", "1000"), ("compact", "--check")):
        assert (argv, run(*argv, stdin=value * 3).status) in [(argv, 0), (argv, 65)]


@pytest.mark.slow
def test_a_conversation_past_the_limit_passes_through_compact_and_is_refused_elsewhere(run: Run, tmp_path: Path) -> None:
    message = b'{"role": "user", "content": "' + b"x" * 1_000_000 + b'"}\n'
    path = tmp_path / "large.jsonl"
    path.write_bytes(message * 68)
    done = run("compact", "--model", "qwen3-30b", path)
    assert (done.status, done.out == path.read_bytes()) == (0, True)
    assert "warning: the conversation passes unchanged" in done.err
    assert run("compact", "--model", "qwen3-30b", "--strict", path).status == 65
    for argv in (("edit", "list"), ("usage",), ("compact", "--check")):
        assert (argv, run(*argv, path).status) == (argv, 65)


def test_json_of_more_values_than_fit_in_memory_is_not_parsed(run: Run) -> None:
    data = '[{"role": "user", "content": ""},' + '{"a": []},' * 1_200_000 + '{"role": "user", "content": ""}]'
    done = run("compact", "--model", "qwen3-30b", stdin=data)
    assert (done.status, done.out.decode() == data) == (0, True)
    assert run("edit", "list", stdin=data).status == 65
