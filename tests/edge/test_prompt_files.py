"""Sections from files, manifests and JSON lines."""

import json
from pathlib import Path

import pytest

from ctxkit.core.errors import CtxkitError, MalformedInputError, MissingInputError, UsageError
from ctxkit.core.prompt import PromptSection
from ctxkit.edge.prompt_files import parse_section_lines, read_manifest, read_sections
from ctxkit.edge.prompt_options import PromptFiles


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
