"""Sections from files, manifests and JSON lines."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ctxkit.core.errors import CtxkitError, MalformedInputError, MissingInputError, UsageError
from ctxkit.core.prompt import PromptSection, VolatileText
from ctxkit.edge import prompts
from ctxkit.edge.options import collect_values
from ctxkit.edge.prompts import (
    PromptFiles,
    PromptText,
    TurnOptions,
    add_section_options,
    add_turn_section_options,
    parse_section_lines,
    read_manifest,
    read_sections,
)


def test_options_name_files_in_order(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    a, b, c = (str(tmp_path / name) for name in "abc")
    assert read_sections(PromptFiles(base=(c,), memories=(a, b))) == [
        PromptSection("base", "c"), PromptSection("memories", "a"), PromptSection("memories", "b"),
    ]  # fmt: skip


TOML = '[[section]]\nname = "base"\nfile = ["a.md", "sub/b.md"]\n[[section]]\nname = "x"\ncontent = "y"\ncacheable = true\n'
ITEMS = [{"name": "base", "file": ["a.md", "sub/b.md"]}, {"name": "x", "content": "y", "cacheable": True}]


@pytest.mark.parametrize(
    ("name", "text"),
    [("m.toml", TOML), ("m.json", json.dumps(ITEMS)), ("m.json", json.dumps({"section": ITEMS}))],
)
def test_a_manifest_names_files_below_it(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.md").write_text("A\n")
    (tmp_path / "sub" / "b.md").write_text("B\n")
    (tmp_path / name).write_text(text)
    assert read_manifest(str(tmp_path / name)) == [PromptSection("base", "A\nB\n"), PromptSection("x", "y", True)]


@pytest.mark.parametrize(
    ("file", "error"),
    [("../secret", UsageError), ("link", UsageError), ("/etc/passwd", MissingInputError), ("none", MissingInputError)],
)
def test_a_manifest_reads_nothing_outside(tmp_path: Path, file: str, error: type[CtxkitError]) -> None:
    (tmp_path / "secret").write_text("key")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "in" / "m.json").write_text(json.dumps([{"name": "base", "file": file}]))
    with pytest.raises(error):
        read_manifest(str(tmp_path / "in" / "m.json"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no", "line 2 is not JSON"),
        ("3", "line 2 is not an object"),
        ('{"content": "x"}', "line 2 has no name"),
        ('{"name": "x"}', "line 2 needs content"),
        ('{"name": "x", "file": "a"}', "line 2 needs content"),
        ('{"name": "x", "content": 3}', "content is not text"),
        ('{"name": "x", "content": "", "cacheable": 1}', "cacheable is not true or false"),
        ('{"name": "x", "content": "", "cachable": true}', "unknown member: cachable"),
    ],
)
def test_an_invalid_line_is_named(line: str, message: str) -> None:
    data = f'{{"name": "base", "content": "x"}}\n{line}\n'.encode()
    with pytest.raises(MalformedInputError, match=message):
        parse_section_lines(data, "stdin")


def test_the_number_of_sections_is_limited() -> None:
    line = b'{"name": "base", "content": "x"}\n'
    assert len(parse_section_lines(line * 1000, "stdin")) == 1000
    with pytest.raises(MalformedInputError, match="more than 1,000 sections"):
        parse_section_lines(line * 1001, "stdin")


@pytest.mark.parametrize("text", ["a = ", "a = 1", "section = 3", "[[section]]\nname = 'x'"])
def test_an_invalid_manifest_is_malformed(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(MalformedInputError, match=r"m\.toml"):
        read_manifest(str(tmp_path / "m.toml"))


def run(add_options, *words: str) -> str:
    @click.command()
    @add_options
    @collect_values(PromptFiles, "files")
    def command(files: PromptFiles) -> None:
        click.echo(f"{files.named_files} {files.manifest}")

    return CliRunner().invoke(command, words).output


def test_files_are_named_in_the_order_of_the_sections() -> None:
    words = ("--status-file", "s", "--base", "b", "--base", "c", "--sections", "m")
    assert run(add_section_options, *words) == "[('base', 'b'), ('base', 'c'), ('status', 's')] m\n"


def test_a_turn_has_a_system_prompt_and_no_manifest() -> None:
    assert run(add_turn_section_options, "--system", "a") == "[('base', 'a')] None\n"
    assert "No such option" in run(add_turn_section_options, "--sections", "m")


def test_the_files_of_sections_and_tools_are_named() -> None:
    assert TurnOptions().file_names == []
    assert TurnOptions(PromptFiles(base=("s",), scratchpad=("p",)), tools=("t",)).file_names == ["s", "p", "t"]


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Be careful.\n", PromptText("Be careful.\n")),
        ('{"prompt":"a","breakpoints":[{"characters":1}]}', PromptText("a", (1,))),
        ('{"prompt":"a","breakpoints":[]}', PromptText("a", ())),
        ('{"prompt":"a"}', PromptText('{"prompt":"a"}')),
        ('{"prompt": broken', PromptText('{"prompt": broken')),
    ],
)
def test_a_built_prompt_has_breakpoints(tmp_path: Path, text: str, prompt: PromptText) -> None:
    (tmp_path / "prompt").write_text(text)
    assert prompts.read_prompt(str(tmp_path / "prompt")) == prompt


@pytest.mark.parametrize(
    ("model", "provider"),
    [("claude-opus-5", "anthropic"), ("openai/gpt-5", "openai"), ("gpt-oss-20b", ""), ("qwen3-30b", ""), ("", "")],
)
def test_a_model_has_the_rules_of_its_provider(model: str, provider: str) -> None:
    assert prompts.find_provider(model) == provider


def test_a_finding_names_the_file_of_its_section() -> None:
    finding = VolatileText("date", "base", 3, 4, "2026-11-22")
    assert prompts.format_finding(finding, {}) == "base:3:4: date: 2026-11-22\n"
    assert prompts.format_finding(finding, {"base": "p.md"}) == "p.md:3:4: date: 2026-11-22\n"
    assert json.loads(prompts.encode_finding(finding)) == finding._asdict()


def test_a_difference_is_quoted() -> None:
    facts = {
        "same": False, "token": 1200, "line": 3, "old": 'a"b', "new": "c", "cached_tokens": 1, "rewritten_tokens": 2,
        "cost_ratio": 8.3333,
    }  # fmt: skip
    assert prompts.format_difference(facts) == (
        'token 1,200 differs first, on line 3\n- "a\\"b"\n+ "c"\n1 token stay cached, 2 tokens are written again\n'
        "cost: 8.33 times that of an unchanged prompt\n"
    )
    assert json.dumps(facts)
