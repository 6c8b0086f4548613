"""ctxkit dedupe: what an agent's workspace says twice, wrongly or no more."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

SAID = "- Assumptions are forbidden: read the file first.\n"
KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"
FILES = {
    "AGENTS.md": f"# Agents\n\n{SAID}- Reply in one paragraph.\n",
    "MEMORY.md": f"# Memory\n\n{SAID}- Staging needs the VPN.\n<think>\nOkay, the user wants it.\n</think>\n- The key is {KEY}\n",
    "SOUL.md": "# Soul\n\nBe kind and brief.\n",
}


@pytest.fixture
def space(tmp_path: Path):
    folder = tmp_path / "space"
    folder.mkdir()
    for path, text in FILES.items():
        (folder / path).write_text(text)
    return folder


def codes(done):
    return [(one["path"], one["code"]) for one in json.loads(done.out)]


FOUND = [("MEMORY.md", "DUP002"), ("MEMORY.md", "HYG001"), ("MEMORY.md", "HYG007")]


def test_findings_are_told_and_the_status_is_no(run: Run, space) -> None:
    done = run("dedupe", cwd=space)
    assert done.status == 1
    assert b"MEMORY.md:3:1: warning DUP002" in done.out
    assert b"3 | - Assumptions" in done.out
    assert done.err == (
        "ctxkit: 3 findings in 3 files (2 error, 1 warning). 2 fixable with --fix\n"
        "ctxkit: 1 DUP002 duplicate-across-files, 1 HYG001 leaked-thinking, 1 HYG007 secret\n"
    )
    assert run("dedupe", "--exit-zero", cwd=space).status == 0
    assert run("dedupe", "--fail-level", "error", "--select", "DUP", cwd=space).status == 0
    assert run("dedupe", "-q", "--select", "MEM", cwd=space).status == 0


def test_json_is_a_list_in_one_order(run: Run, space) -> None:
    done = run("dedupe", "--json", cwd=space)
    assert codes(done) == FOUND
    assert done.out == run("dedupe", "--output-format", "json", ".", cwd=space).out
    first = json.loads(done.out)[0]
    assert first["related"] == [{"path": "AGENTS.md", "line": 3, "end_line": 3}]
    assert first["tokens"] > 5


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    "options",
    [(), ("--json",), ("--output-format", "sarif"), ("--output-format", "github"),
     ("--output-format", "gitlab"), ("--output-format", "concise"), ("--table",), ("--budget",), ("--statistics",),
     ("--statistics", "--json"), ("--budget", "--json"), ("--diff", "--unsafe-fixes"), ("--color", "always")],
)  # fmt: skip
def test_no_output_shows_a_secret(run: Run, space, options) -> None:
    (space / "TOOLS.md").write_text(f"- The key is {KEY} for all of us, always\n- The key is {KEY} for all of us, always\n")
    done = run("dedupe", *options, cwd=space)
    assert done.status in (0, 1)
    assert KEY[12:].encode() not in done.out
    assert KEY[12:] not in done.err
    run("dedupe", "--baseline", "known.json", "--update-baseline", cwd=space)
    assert KEY[12:] not in (space / "known.json").read_text()


def test_fixes_are_made_and_a_second_run_finds_nothing_to_mend(run: Run, space) -> None:
    shown = run("dedupe", "--fix", "--diff", cwd=space)
    assert shown.status == 1
    assert (space / "MEMORY.md").read_text() == FILES["MEMORY.md"]
    done = run("dedupe", "--fix", "--json", cwd=space)
    assert codes(done) == FOUND[2:]
    assert "Mended 2" not in done.out.decode()
    assert (space / "MEMORY.md").read_text() == f"# Memory\n\n- Staging needs the VPN.\n- The key is {KEY}\n"
    before = os.stat(space / "MEMORY.md").st_mtime_ns
    assert run("dedupe", "--fix", cwd=space).status == 1
    assert os.stat(space / "MEMORY.md").st_mtime_ns == before


def test_git_takes_the_diff_in_a_repository(run: Run, space) -> None:
    (space / "MEMORY.md").write_text(FILES["MEMORY.md"].replace(KEY, "$KEY"))
    shown = run("dedupe", "--diff", "--fix", cwd=space)
    assert subprocess.run(["git", "apply"], cwd=space, input=shown.out, capture_output=True).returncode == 0
    assert run("dedupe", cwd=space).status == 0


def test_a_stale_path_is_told_by_the_history(run: Run, space) -> None:
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=space, check=True, capture_output=True)

    (space / "old.py").write_text("x = 1\n" * 20)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    git("mv", "old.py", "new.py")
    git("commit", "-qam", "two")
    (space / "AGENTS.md").write_text("# Agents\n\n- The parser is in `old.py`.\n")
    (found,) = json.loads(run("dedupe", "--json", "--select", "REF", cwd=space).out)
    assert (found["code"], found["severity"], found["column"]) == ("REF001", "error", 21)
    run("dedupe", "--unsafe-fixes", "--select", "REF", cwd=space)
    assert "`new.py`" in (space / "AGENTS.md").read_text()


def test_one_document_or_several_come_on_stdin(run: Run) -> None:
    done = run("dedupe", "-", "--json", stdin=SAID + "- Cats sleep all day.\n" + SAID)
    assert codes(done) == [("AGENTS.md", "DUP001")]
    mended = run("dedupe", "-", "--fix", stdin=SAID + "- Cats sleep all day.\n" + SAID)
    assert (mended.status, mended.out.decode()) == (0, SAID + "- Cats sleep all day.\n")
    rows = "".join(json.dumps({"path": path, "text": text}) + "\n" for path, text in FILES.items())
    assert codes(run("dedupe", "-", "--json", stdin=rows)) == FOUND
    fixed = [json.loads(line) for line in run("dedupe", "-", "--fix", stdin=rows).out.splitlines()]
    assert [one["path"] for one in fixed] == list(FILES)
    assert "<think>" not in fixed[1]["text"]


def test_files_can_be_listed(run: Run, space) -> None:
    assert codes(run("dedupe", "--files-from", "-", "--json", stdin="MEMORY.md\n", cwd=space)) == FOUND
    assert codes(run("dedupe", "--files-from", "-", "--json", stdin="AGENTS.md\0", cwd=space)) == []
    assert codes(run("dedupe", "MEMORY.md", "--json", cwd=space)) == FOUND


@pytest.mark.parametrize("sign", ["\u2028", "\x0c", "\x85", "\x1e"])
def test_a_listed_name_ends_at_a_newline_only(run: Run, tmp_path: Path, sign: str) -> None:
    name = f"memory{sign}notes.md"
    (tmp_path / name).write_text(SAID + SAID)
    done = run("dedupe", "--files-from", "-", "--json", stdin=f"{name}\n", cwd=tmp_path)
    assert codes(done) == [(name, "DUP001")]


def test_what_the_prompt_says_is_told_of(run: Run, space, tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("You are an agent.\nBe kind and brief in all of your answers.\n")
    (space / "SOUL.md").write_text("# Soul\n\n- Be kind and brief in all of your answers.\n")
    done = run("dedupe", "--json", "--select", "DUP", "--prompt", tmp_path / "prompt.txt", cwd=space)
    assert ("SOUL.md", "DUP002") in codes(done)


def test_settings_hold_and_bad_ones_name_file_and_line(run: Run, space) -> None:
    (space / ".ctxkit.toml").write_text('[lint]\nselect = ["DUP"]\nfail_level = "error"\n')
    done = run("dedupe", "--json", cwd=space)
    assert (done.status, codes(done)) == (0, FOUND[:1])
    (space / ".ctxkit.toml").write_text('[lint]\nselect = ["DUP"]\nfile_tokens = "many"\n')
    done = run("dedupe", cwd=space)
    assert done.status == 78
    assert ".ctxkit.toml:3: lint file_tokens is not a number of tokens" in done.err
    (space / ".ctxkit.toml").unlink()
    (space / "pyproject.toml").write_text('[tool.ctxkit.lint]\nper_file_ignores = { "MEMORY.md" = ["HYG"] }\n')
    assert codes(run("dedupe", "--json", cwd=space)) == FOUND[:1]


def test_a_baseline_leaves_only_what_is_new(run: Run, space) -> None:
    assert run("dedupe", "--baseline", "known.json", "--update-baseline", cwd=space).status == 0
    assert run("dedupe", "--baseline", "known.json", cwd=space).status == 0
    with open(space / "MEMORY.md", "a") as file:
        file.write("- Reply in one paragraph.\n")
    assert codes(run("dedupe", "--baseline", "known.json", "--json", cwd=space)) == [("MEMORY.md", "DUP002")]


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (("nowhere",), 66, "nowhere: no such file or directory"), (("--select", "XYZ"), 2, "no rule is called XYZ"),
        (("explain", "XYZ"), 2, "no rule is called XYZ"), (("--baseline", "none.json"), 66, "none.json"),
        (("--update-baseline",), 2, "there is no baseline"), (("--prompt", "none.txt"), 66, "none.txt"),
        (("--fail-level", "bad"), 2, "fail-level"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_line(run: Run, space, args, status: int, said: str) -> None:
    done = run("dedupe", *args, cwd=space)
    assert (done.status, done.out) == (status, b"")
    assert said in done.err
    assert "Traceback" not in done.err


def test_rules_explain_themselves(run: Run) -> None:
    assert run("dedupe", "explain", "DUP002").out.startswith(b"# DUP002 ")
    assert run("dedupe", "explain").out.count(b"\n") == run("dedupe", "explain", "ALL").out.count(b"\nEvidence: ")


def test_the_table_and_the_budget_are_those_of_the_documentation(run: Run, space) -> None:
    assert b"| AGENTS.md L3 | MEMORY.md L3 |" in run("dedupe", "--table", "--exit-zero", cwd=space).out
    told = run("dedupe", "--budget", "--json", "--exit-zero", cwd=space)
    before = {one["name"]: one["saved"] for one in json.loads(told.out)["files"]}
    assert before["MEMORY.md"] > 0
    assert before["AGENTS.md"] == 0


@pytest.mark.slow
def test_of_countless_findings_a_thousand_are_listed_and_all_are_counted(run: Run, home: dict[str, str]) -> None:
    Path(home["HOME"], "AGENTS.md").write_text("".join(f"[truncated at {n} chars]\n" for n in range(1_005)))
    ran = run("dedupe", "--select", "HYG004", "--json")
    assert (ran.status, len(json.loads(ran.out))) == (1, 1_000)
    assert ran.err == "ctxkit: warning: AGENTS.md: 5 more findings of HYG004 not listed\n"
    assert "1005 findings in 1 file" in run("dedupe", "--select", "HYG004").err
    assert run("dedupe", "--select", "HYG004", "--statistics").out.split()[0] == b"1005"


def budget(run: Run, folder: Path) -> dict:
    return json.loads(run("dedupe", "--budget", "--json", "--exit-zero", cwd=folder).out)


def write_files(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def test_load_sets_are_those_of_the_hosts_and_their_settings(run: Run, tmp_path: Path) -> None:
    files = {
        "AGENTS.md": "x\n",
        "docs/rules.md": "x\n",
        "opencode.json": '{"instructions": ["docs/*.md"]}',
        ".kiro/steering/a.md": "x\n",
        "sub/TEAM.md": "x\n",
        ".codex/config.toml": 'project_doc_fallback_filenames = ["TEAM.md"]',
        "web/.cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n",
        ".claude/skills/a/SKILL.md": f"---\nname: a\ndescription: {'Use it for words. ' * 9}\n---\nx\n",
        ".claude/skills/LOOSE.md": "x\n",
        "vendor/a/AGENTS.md": "x\n",
    }
    write_files(tmp_path, files)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    sets = {row["name"]: row for row in budget(run, tmp_path)["sets"]}
    assert sets["opencode 1"]["paths"] == ["AGENTS.md", "docs/rules.md"]
    assert sets["Kiro"]["paths"] == [".kiro/steering/a.md", "AGENTS.md"]
    assert sets["Codex in sub"]["paths"] == ["AGENTS.md", "sub/TEAM.md"]
    assert sets["Cursor in web"]["paths"] == ["AGENTS.md", "web/.cursor/rules/a.mdc"]
    assert sets["Claude Code"]["listed"] == [".claude/skills/a/SKILL.md"]
    assert sets["Claude Code"]["before"] > sets["Codex in sub"]["before"]
    assert not any(path.startswith(("vendor/", ".claude/skills/LOOSE")) for row in sets.values() for path in row["paths"])


def test_a_budget_ends_with_what_is_over_and_what_would_save_most(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"CLAUDE.md": "- A line of words.\n" * 300, ".claude/rules/a.md": "Some words. " * 200})
    verdict = budget(run, tmp_path)
    assert [(row["code"], row["path"]) for row in verdict["over"]] == [("BUD004", "CLAUDE.md")]
    assert {row["path"] for row in verdict["savings"]} == {"CLAUDE.md", ".claude/rules/a.md"}
    text = run("dedupe", "--budget", "--exit-zero", cwd=tmp_path).out.decode()
    assert "Over a limit:\n- CLAUDE.md: BUD004 the file has 300 lines, and 200 are advised" in text
    assert "Largest savings on every turn:\n1. " in text


def test_an_import_whose_path_has_a_blank_is_told_how_to_be_written(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"CLAUDE.md": "@docs/team rules.md\n", "docs/team rules.md": "x\n"})
    done = run("dedupe", "--select", "REF004", cwd=tmp_path)
    assert (done.status, b"write @docs/team\\ rules.md" in done.out) == (1, True)
    write_files(tmp_path, {"CLAUDE.md": "@docs/team\\ rules.md\n"})
    assert run("dedupe", "--select", "REF004", cwd=tmp_path).status == 0


def test_a_setting_changes_the_size_that_a_host_reads(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"AGENTS.md": "- Words, and more words.\n" * 1500})
    assert b"BUD003" in run("dedupe", "--select", "BUD", cwd=tmp_path).out
    (tmp_path / ".ctxkit.toml").write_text("[lint.sizes]\ncodex_bytes = 65536\n")
    assert run("dedupe", "--select", "BUD", cwd=tmp_path).status == 0
    (tmp_path / ".ctxkit.toml").write_text("[lint.sizes]\ncodex_byte = 1\n")
    assert run("dedupe", cwd=tmp_path).status == 78


def test_a_folder_without_agent_files_is_named_and_an_absent_one_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("dedupe", "empty", cwd=tmp_path)
    assert (done.status, done.out) == (0, b"")
    assert done.err.startswith("ctxkit: empty/: no agent files; looked for AGENTS.md, ")
    assert done.err.count("\n") == 1
    assert run("dedupe", "gone", cwd=tmp_path).status == 66
