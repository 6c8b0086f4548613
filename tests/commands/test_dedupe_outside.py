"""dedupe quotes nothing that a link leads to outside the workspace, in no format; the sizes still count."""

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Run

PRIVATE = "\n".join(
    [
        "# Zebra notes",
        "- Always deploy the zebra staging with key AKIAZEBRA7Q2M4X9KLTP today.",
        "- Always deploy the zebra staging with key AKIAZEBRA7Q2M4X9KLTP today.",
        "- Never deploy the zebra staging with key AKIAZEBRA7Q2M4X9KLTP today.",
        "- Read `zebra/missing.md` and run `make zebra-missing`, and see @zebra/none.md.",
        "zebra\u200binvisible, \u00c3\u00a9 zebra <zebra",
        "As an AI language model, I think about zebra. <thinking>zebra</thinking>",
        "<!-- ctxkit: ignore DUP001 -->",
        "2026-01-01 10:00:00 zebra log line",
    ]
)
OWN = "# Rules\n\n@docs/linked/notes.md\n@docs/one.md\n- Always deploy the zebro staging today.\n- Run `make test` and `npm run build`.\n"
LINKS = {
    "CLAUDE.md": "private.md",
    "MEMORY.md": "private.md",
    "docs/one.md": "private.md",
    "docs/linked": "",
    "README.md": "private.md",
    "Makefile": "zebra.mk",
    "package.json": "package.json",
    ".gemini/settings.json": "gemini.json",
    ".claude/skills/z/SKILL.md": "private.md",
    ".claude/rules": "",
    ".cursor/rules/zebra.mdc": "private.md",
}


@pytest.fixture
def space(tmp_path: Path) -> Path:
    outside, space = tmp_path / "outside", tmp_path / "space"
    outside.mkdir()
    space.mkdir()
    (outside / "private.md").write_text(PRIVATE)
    (outside / "notes.md").write_text(PRIVATE)
    (outside / "zebra.mk").write_text("zebra-missing-not:\n\ttrue\n")
    (outside / "package.json").write_text('{"scripts": {"zebra-build": "x"}}')
    (outside / "gemini.json").write_text('{"contextFileName": "zebra.md"}')
    for name, target in LINKS.items():
        (space / name).parent.mkdir(parents=True, exist_ok=True)
        (space / name).symlink_to(os.path.relpath(outside / target, (space / name).parent))
    (space / "AGENTS.md").write_text(OWN)
    return space


FORMS = [("--output-format", name) for name in ("full", "concise", "json", "sarif", "github", "gitlab")]
CALLS = [*FORMS, ("--table",), ("--budget",), ("--statistics",), ("--diff", "--unsafe-fixes"), ("CLAUDE.md", "--json")]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("options", CALLS)
def test_nothing_is_quoted(run: Run, space: Path, options: tuple[str, ...]) -> None:
    done = run("dedupe", *options, cwd=space)
    text = (done.out.decode() + done.err).replace("zebra.mdc", "").replace("zebro", "")
    assert text
    for word in ("zebra", "AKIA", "Zebra"):
        assert word not in text, text


def test_the_findings_say_why_and_none_has_a_fix(run: Run, space: Path) -> None:
    findings = json.loads(run("dedupe", "--json", cwd=space).out)
    assert {finding["path"] for finding in findings} >= {"CLAUDE.md", "MEMORY.md"}
    outside = [finding for finding in findings if finding["path"] == "CLAUDE.md"]
    assert all("a link leads out of the workspace" in finding["message"] for finding in outside)
    assert all(finding["fix"] is None for finding in outside)


def test_a_baseline_has_no_quote_either(run: Run, space: Path) -> None:
    assert run("dedupe", "--baseline", "known.json", "--update-baseline", cwd=space).status == 0
    assert "zebra " not in (space / "known.json").read_text()
    assert run("dedupe", "--baseline", "known.json", cwd=space).status == 0


def test_the_sizes_count(run: Run, space: Path) -> None:
    assert "CLAUDE.md" in run("dedupe", "--budget", cwd=space).out.decode()
