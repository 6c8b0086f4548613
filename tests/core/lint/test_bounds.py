"""What is made to be slow, or large, takes no more time and memory than text that is not."""

import io
import random
import time
from itertools import count

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.lint.document import size
from ctxkit.core.lint.document.chat_markers import ROLE_LABEL
from ctxkit.core.lint.document.normal import strip_markup
from ctxkit.core.lint.document.parse import _CAPTION, find_blocks, parse_document
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.loading.assemble import ProjectListing, assemble_workspace
from ctxkit.core.lint.loading.load_sets import read_host_settings
from ctxkit.core.lint.loading.manifests import find_scripts
from ctxkit.core.lint.rules import secrets
from ctxkit.core.lint.run import LintOptions, collect_findings, fix_all
from ctxkit.core.lint.similarity import restatements
from ctxkit.core.redaction.find_secrets import find_secrets
from ctxkit.core.tokens import estimate
from ctxkit.core.tokens.vocabulary import find_vocabulary

BYTES = 100_000
SECONDS = 2.5
"""Time for 100 KB on a slow machine under load; what is not linear took 4 to 60 s."""
WORDS = ["alpha", "beta", "gamma", "run", "tests", "commit", "branch", "file", "path", "value", "always", "never", "use", "build", "deploy", "config", "user"]
TOKENS = estimate.likely_tokenizer(find_vocabulary("estimate"))


def fill(line: str) -> str:
    """Return lines of a pattern: {n} counts, {w} are words at random."""
    chance, text = random.Random(1), io.StringIO()
    for number in count():
        text.write(line.format(n=number, w=" ".join(chance.choice(WORDS) for _ in range(6))))
        if text.tell() >= BYTES:
            return text.getvalue()
    raise AssertionError


SHAPES = {
    "one line of prose": lambda: fill("{w}. "),
    "short lines": lambda: fill("Run test.\n"),
    "items": lambda: fill("- {w}\n"),
    "the same item": lambda: fill("- always run the tests before a commit\n"),
    "numbered items": lambda: fill("{n}. {w}\n"),
    "headings and paragraphs": lambda: fill("## {w}\n\n{w}.\n\n"),
    "fences": lambda: fill("```\nmake x\n```\n"),
    "rows": lambda: "| a | b |\n|---|---|\n" + fill("| {w} | {n} |\n"),
    "links on a line": lambda: fill("[a](b{n}.md) "),
    "dead anchors": lambda: "# A\n" + fill("[a](#b{n})\n"),
    "paths on a line": lambda: fill("`src/x{n}/y.py` "),
    "a drawing": lambda: '<svg x="1">' + fill('<line x1="{n}" />') + "text</svg>\n",
    "tags in a drawing": lambda: fill("<p>") + fill("<br/>") + "x\n",
    "open comments": lambda: "<!--a" * (BYTES // 5),
    "open suppressions": lambda: "<!-- ctxkit: ignore " * (BYTES // 20),
    "suppressions": lambda: fill("<!-- ctxkit: ignore-file DUP001 x -->\n- {w}\n"),
    "backticks": lambda: "".join("`" * (number % 300 + 1) + " " for number in range(700)),
    "parentheses": lambda: "(" * BYTES,
    "colons": lambda: ":" * BYTES,
    "assignments": lambda: "a=" * (BYTES // 2),
    "addresses": lambda: "http://a:b" * (BYTES // 10),
    "keys": lambda: fill("api_key = 0f3b9{n}c7e1d5a8\n"),
    "opposites": lambda: fill("- Always run {w} {n} before a commit.\n- Never run {w} {n} before a commit.\n"),
    "statements that differ in a number": lambda: fill("- The port of service{n} is 80{n} here.\n"),
    "pairs": lambda: fill("- Use {w} w{n} when you edit it.\n"),
    "unpaired tags": lambda: fill("<think>{w}\n"),
    "turns of a chat": lambda: fill("**User**: {w}\n\n**Assistant**: {w}\n\n"),
    "reasoning on a line": lambda: fill("<think>ok {w}</think> "),
    "closing tags": lambda: "</think>" * (BYTES // 8),
    "days": lambda: fill("## 2024-01-01\n- {w}\n"),
    "long items": lambda: fill("- " + "{w} " * 60 + "\n"),
    "flags": lambda: "\U0001f3f4\U000e0067\U000e007f" * (BYTES // 12),
    "a long title over a list": lambda: "(" * (BYTES // 2) + ":\n" + fill("- {w}\n"),
    "a bold line that does not end": lambda: "**" + "a" * BYTES,
    "quote marks before a fence": lambda: "> " * (BYTES // 2) + "~",
    "spaces": lambda: " " * BYTES + "x",
    "newlines": lambda: "\n" * BYTES,
}


def space_of(text: str, path: str = "MEMORY.md") -> Workspace:
    files = {path: text.encode("utf-8", "surrogatepass"), "other.md": b"x"}
    return assemble_workspace(ProjectListing(sorted(files), explicit_paths=[path]), files.get, TOKENS)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear(shape: str) -> None:
    text = SHAPES[shape]()
    began = time.process_time()
    collect_findings(space_of(text), LintOptions())
    assert time.process_time() - began < SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear_in_two_files(shape: str) -> None:
    text = SHAPES[shape]()[: BYTES // 2].encode("utf-8", "surrogatepass")
    files = {"AGENTS.md": text, "CLAUDE.md": b"@AGENTS.md\n" + text[1:], "MEMORY.md": b"# M\n" + text[2:]}
    began = time.process_time()
    collect_findings(assemble_workspace(ProjectListing(sorted(files)), files.get, TOKENS), LintOptions())
    assert time.process_time() - began < 2 * SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["the same item", "reasoning on a line", "suppressions", "links on a line"])
def test_time_of_fixes_is_linear(shape: str) -> None:
    workspace = space_of(SHAPES[shape]()[: BYTES // 2])
    began = time.process_time()
    fix_all(workspace, LintOptions(), unsafe=True)
    assert time.process_time() - began < 2 * SECONDS


@pytest.mark.slow
@pytest.mark.parametrize(
    "look",
    [
        lambda: ROLE_LABEL.match(">" * 5000 + "x"),
        lambda: ROLE_LABEL.match("> " * 5000 + "x"),
        lambda: find_blocks(["> " * 5000 + "~x"]),
        lambda: find_blocks(["~" * 50_000 + "x`"]),
        lambda: _CAPTION.match("**" + "a" * 5000),
        lambda: list(find_secrets("-eyJaaaaaaaaaa" * 5000)),
        lambda: read_host_settings([".gemini/settings.json"], lambda _: b"/*" * 100_000),
        lambda: find_scripts(["Makefile"], lambda _: b"a" + b" " * 50_000 + b"x", ["make"]),
        lambda: find_scripts(["justfile"], lambda _: b"a " + b"'" * 50_000, ["just"]),
    ],
)
def test_a_pattern_takes_no_more_than_linear_time(look) -> None:
    began = time.process_time()
    look()
    assert time.process_time() - began < 1


def test_comments_are_taken_out_of_a_statement() -> None:
    assert strip_markup("a <!-- b --> c <!-- d") == "a c <!-- d"
    assert strip_markup("<!-- a --><!-- b -->c") == "c"
    assert strip_markup(f"a <!-- {'x' * 3000} --> b").startswith("a <!-- xxx")
    assert strip_markup("a --> b <!-- c --> d") == "a --> b d"




def test_too_many_short_lines_are_malformed() -> None:
    size.check_lines("a.md", b"# a heading\n" * 200_000)
    size.check_lines("a.md", b"#\n" * 100_000)
    with pytest.raises(MalformedInputError, match=r"a\.md: more than 100,000 lines, shorter than 10 bytes"):
        size.check_lines("a.md", b"#\n" * 100_001)


def test_too_many_lines_and_statements_are_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "MAX_LINES", 100)
    monkeypatch.setattr(size, "MAX_STATEMENTS", 50)
    parse_document("a.md", b"\n" * 100)
    parse_document("a.md", b"- a\n" * 50)
    with pytest.raises(MalformedInputError, match=r"a\.md: more than 100 lines"):
        parse_document("a.md", b"\n" * 101)
    with pytest.raises(MalformedInputError, match=r"a\.md: more than 50 statements"):
        parse_document("a.md", b"- a\n" * 51)


def test_too_much_text_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "MAX_MEMORY", 100_000)
    space_of("word " * 5000)
    with pytest.raises(MalformedInputError, match=r"MEMORY\.md: too much text"):
        space_of("word " * 10_000)
    with pytest.raises(MalformedInputError, match=r"MEMORY\.md: too much text"):
        space_of("\U0001f600" * 9000)


def test_what_is_not_compared_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restatements, "MAX_STATEMENTS", 20)
    for lines, messages in ((20, []), (21, [restatements.INCOMPLETE])):
        said: list[str] = []
        text = "".join(f"- The {word}{number} reads table{number} and writes column{number}.\n" for number, word in zip(range(lines), 2 * WORDS, strict=False))
        collect_findings(space_of(text)._replace(notice=said.append), LintOptions())
        assert said == messages


@pytest.mark.slow
def test_a_document_is_searched_for_secrets_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    monkeypatch.setattr(secrets, "find_secrets", lambda text: sizes.append(len(text)) or find_secrets(text))
    text = fill("api_key = 0f3b9{n}c7e1d5a8\n")
    assert [finding for finding in collect_findings(space_of(text), LintOptions()) if finding.code == "HYG007"]
    assert secrets.mask_text(text) != text
    assert sizes.count(len(text)) == 1
