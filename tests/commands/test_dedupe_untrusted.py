"""dedupe in a repository whose configuration names programs: none is executed.

Each trap leaves a marker if its program runs. A plain command of git that springs the trap shows that it is set.
"""

import json
import os
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Run

TEXT = "# A\n\nSee `lib/gone.md` and `src/old.py`.\n\n- Always run the tests before committing.\n" * 2


@dataclass
class Trap:
    """A repository, and the program that its configuration names."""

    root: Path
    program: Path
    marker: Path

    def git(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", "-C", self.root, "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments],
            capture_output=True, input=stdin, text=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
        )  # fmt: skip
        return done.stdout.strip()

    def config(self, **settings: str) -> None:
        for name, value in settings.items():
            self.git("config", name.replace("__", "."), value)


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    root, program, marker = tmp_path / "repository", tmp_path / "program", tmp_path / "marker"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
    program.chmod(0o755)
    root.mkdir()
    made = Trap(root, program, marker)
    made.git("init", "-q")
    (root / "AGENTS.md").write_text(TEXT)
    for name in ("lib/gone.md", "src/old.py"):
        (root / name).parent.mkdir()
        (root / name).write_text("one\ntwo\nthree\n")
    made.git("add", ".")
    made.git("commit", "-qm", "first")
    made.git("rm", "-q", "lib/gone.md")
    made.git("mv", "src/old.py", "src/new.py")
    made.git("commit", "-qm", "second")
    return made


def file_system_monitor(trap: Trap) -> tuple[str, ...]:
    trap.config(core__fsmonitor=str(trap.program))
    return ("ls-files",)


def hook(trap: Trap) -> tuple[str, ...]:
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "pre-commit"):
        (trap.root / ".git" / "hooks" / name).write_bytes(trap.program.read_bytes())
        (trap.root / ".git" / "hooks" / name).chmod(0o755)
    return ("commit", "--allow-empty", "-m", "x")


def signature(trap: Trap) -> tuple[str, ...]:
    tree, parent = trap.git("rev-parse", "HEAD^{tree}"), trap.git("rev-parse", "HEAD")
    who = "a <a@example.com> 1700000000 +0000"
    key = "-----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    commit = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\ngpgsig {key}\n\nm\n"
    made = trap.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=commit)
    trap.git("update-ref", "HEAD", made)
    trap.config(log__showSignature="true", gpg__program=str(trap.program))
    return ("log",)


def alias_and_pager(trap: Trap) -> tuple[str, ...]:
    trap.config(core__pager=str(trap.program), pager__log="true", alias__log=f"!{trap.program}")
    for name in ("ls-files", "rev-parse", "check-ignore", "spring"):
        trap.git("config", f"alias.{name}", f"!{trap.program}")
    return ("spring",)


def external_diff(trap: Trap) -> tuple[str, ...]:
    (trap.root / ".gitattributes").write_text("* diff=x\n")
    trap.git("config", "diff.external", str(trap.program))
    return ("log", "-p", "--ext-diff")


def text_conversion(trap: Trap) -> tuple[str, ...]:
    (trap.root / ".gitattributes").write_text("* diff=x\n")
    trap.git("config", "diff.x.textconv", str(trap.program))
    return ("log", "-p")


def filter_driver(trap: Trap) -> tuple[str, ...]:
    (trap.root / ".gitattributes").write_text("* filter=x\n")
    for name in ("clean", "smudge", "process"):
        trap.git("config", f"filter.x.{name}", str(trap.program))
    return ("add", "AGENTS.md", ".gitattributes")


def lose_files(trap: Trap) -> None:
    """Make a partial clone of the repository that lacks its files."""
    for line in trap.git("rev-list", "--objects", "--all").splitlines():
        name, _, path = line.partition(" ")
        if path.endswith((".md", ".py")):
            (trap.root / ".git" / "objects" / name[:2] / name[2:]).unlink()
    trap.config(core__repositoryformatversion="1", extensions__partialClone="origin", remote__origin__promisor="true")
    trap.config(remote__origin__partialclonefilter="blob:none", protocol__allow="always")


def promisor_behind_ssh(trap: Trap) -> tuple[str, ...]:
    lose_files(trap)
    trap.config(remote__origin__url="ssh://x/y", core__sshCommand=str(trap.program))
    return ("log", "-p")


def promisor_behind_ext(trap: Trap) -> tuple[str, ...]:
    lose_files(trap)
    trap.config(remote__origin__url=f"ext::{trap.program}", protocol__ext__allow="always")
    return ("log", "-p")


def promisor_behind_helper(trap: Trap) -> tuple[str, ...]:
    lose_files(trap)
    trap.config(remote__origin__url=str(trap.program), remote__origin__vcs="ext", protocol__ext__allow="always")
    return ("log", "-p")


def bare_repository_as_a_folder(trap: Trap) -> tuple[str, ...]:
    nested = trap.root / "nested"
    for name in ("objects", "refs"):
        (nested / name).mkdir(parents=True)
    (nested / "HEAD").write_text("ref: refs/heads/main\n")
    (nested / "AGENTS.md").write_text(TEXT)
    settings = f"repositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = {trap.program}"
    (nested / "config").write_text(f"[core]\n{settings}\n")
    trap.root = nested
    return ("ls-files", "--others")


def file_that_names_a_repository(trap: Trap) -> tuple[str, ...]:
    (trap.root / ".git").rename(trap.root.parent / "elsewhere.git")
    (trap.root / ".git").write_text(f"gitdir: {trap.root.parent}/elsewhere.git\n")
    trap.config(core__fsmonitor=str(trap.program))
    return ("ls-files",)


def included_configuration(trap: Trap) -> tuple[str, ...]:
    (trap.root / "more").write_text(f"[core]\nfsmonitor = {trap.program}\n")
    trap.config(include__path="../more")
    return ("ls-files",)


def submodule(trap: Trap) -> tuple[str, ...]:
    trap.git("init", "-q", "inner")
    (trap.root / "inner" / "AGENTS.md").write_text(TEXT)
    inner = Trap(trap.root / "inner", trap.program, trap.marker)
    inner.git("add", ".")
    inner.git("commit", "-qm", "first")
    trap.git("add", "inner")
    inner.config(core__fsmonitor=str(trap.program))
    trap.config(submodule__recurse="true")
    return ("-C", "inner", "ls-files")


TRAPS = (
    file_system_monitor, hook, signature, alias_and_pager, external_diff, text_conversion, filter_driver, promisor_behind_ssh,
    promisor_behind_ext, promisor_behind_helper, bare_repository_as_a_folder, file_that_names_a_repository,
    included_configuration, submodule,
)  # fmt: skip


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("setting", TRAPS, ids=lambda setting: setting.__name__)
def test_no_program_of_the_repository_runs(setting: Callable[[Trap], tuple[str, ...]], trap: Trap, run: Run) -> None:
    spring = setting(trap)
    trap.marker.unlink(missing_ok=True)
    for arguments in ((), ("--fix",)):
        assert run("dedupe", *arguments, ".", cwd=trap.root).status in (0, 1)
        assert not trap.marker.exists()
    (trap.root / "AGENTS.md").write_text(TEXT + "- More.\n")
    trap.git(*spring)
    assert trap.marker.exists(), "the trap is not set, and the test shows nothing"


def test_what_git_knows_is_still_told(trap: Trap, run: Run) -> None:
    trap.config(core__fsmonitor=str(trap.program))
    done = run("dedupe", "--select", "REF", ".", cwd=trap.root)
    assert b"was removed in" in done.out
    assert b"renamed to src/new.py" in done.out


def test_submodules_are_not_entered(trap: Trap, run: Run) -> None:
    submodule(trap)
    done = run("dedupe", "--json", ".", cwd=trap.root)
    assert b"inner/" not in done.out


def test_a_variable_of_git_leads_nowhere_else(trap: Trap, run: Run, tmp_path: Path) -> None:
    done = run("dedupe", "--select", "REF", ".", cwd=trap.root, env={"GIT_DIR": str(tmp_path), "GIT_EXEC_PATH": "/"})
    assert b"was removed in" in done.out


@pytest.fixture
def space(tmp_path: Path) -> Path:
    folder = tmp_path / "space"
    folder.mkdir()
    (folder / "AGENTS.md").write_text(TEXT)
    return folder


COPY = "# M\n\n- Staging needs the VPN.\n- Staging needs the VPN.\n"


def test_fix_leaves_what_leads_outside_and_says_so(space: Path, run: Run) -> None:
    outside = space.parent / "outside.md"
    outside.write_text(COPY)
    (space / "MEMORY.md").symlink_to("../outside.md")
    for options, status in ((("--fix",), 1), (("--unsafe-fixes",), 1), (("--fix", "--diff"), 0)):
        done = run("dedupe", *options, "--select", "DUP", cwd=space)
        assert done.status == status
        assert "MEMORY.md leads out of the workspace, and is not fixed" in done.err
        assert outside.read_text() == COPY
        assert (space / "MEMORY.md").is_symlink()
    assert sorted(os.listdir(space.parent)) == ["outside.md", "space", "user"]


def test_fix_mends_the_file_behind_a_link_inside(space: Path, run: Run) -> None:
    (space / "memory").mkdir()
    (space / "memory" / "real.md").write_text(COPY)
    (space / "MEMORY.md").symlink_to("memory/real.md")
    assert run("dedupe", "--fix", "--select", "DUP", "--exit-zero", cwd=space).status == 0
    assert (space / "memory" / "real.md").read_text().count("Staging") == 1
    assert (space / "MEMORY.md").is_symlink()


def test_a_baseline_is_not_written_through_a_link(space: Path, run: Run) -> None:
    victim = space.parent / "victim"
    victim.write_text("mine")
    (space / "known.json").symlink_to("../victim")
    done = run("dedupe", "--baseline", "known.json", "--update-baseline", cwd=space)
    assert (done.status, victim.read_text()) == (74, "mine")
    (space / "known.json").unlink()
    assert run("dedupe", "--baseline", "known.json", "--update-baseline", cwd=space).status == 0
    (space / "known.json").chmod(0o640)
    elsewhere = str(space / "known.json")
    assert run("dedupe", "--baseline", elsewhere, "--update-baseline", cwd=space).status == 0
    assert (space / "known.json").stat().st_mode & 0o777 == 0o640


def test_what_a_killed_call_left_beside_a_baseline_goes_with_the_next(space: Path, run: Run) -> None:
    left = space / ".ctxkit-999999999-0123456789abcdef"
    left.write_text("half")
    os.utime(left, (1, 1))
    assert run("dedupe", "--baseline", "known.json", "--update-baseline", cwd=space).status == 0
    assert not left.exists()


def test_leftovers_are_no_content_and_go_with_the_next_fix(space: Path, run: Run) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = space / f".ctxkit-{ended.pid}-0123456789abcdef"
    left.write_text(COPY)
    assert b".ctxkit-" not in run("dedupe", "--json", cwd=space).out
    assert left.exists()
    run("dedupe", "--fix", cwd=space)
    assert not left.exists()


@pytest.mark.parametrize("under_git", [False, True])
def test_odd_files_neither_hang_nor_crash(under_git: bool, space: Path, run: Run) -> None:
    if under_git:
        subprocess.run(["git", "init", "-q", space], check=True)
    for name in ("MEMORY.md", "README.md", "package.json", "sub/AGENTS.md"):
        (space / name).parent.mkdir(exist_ok=True)
        os.mkfifo(space / name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(space / "SOUL.md"))
    for name, target in {"TOOLS.md": "/dev/zero", "USER.md": "USER.md", "CLAUDE.md": "MEMORY.md", "GEMINI.md": "/dev/tty"}.items():
        (space / name).symlink_to(target)
    for number in range(1500):
        (space / f"link{number}").symlink_to(f"link{number + 1}")
    (space / "around").symlink_to(".")
    assert run("dedupe", "--fix", cwd=space, timeout=20).status in (0, 1)


@pytest.mark.slow
def test_a_deep_tree_neither_hangs_nor_crashes(space: Path, run: Run) -> None:
    def descend(depth: int) -> None:
        """Make directories in each other, deeper than any path may be long."""
        at = os.open(space, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=at)
            following = os.open("d", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = following
        os.close(at)

    descend(2500)
    try:
        assert run("dedupe", cwd=space, timeout=20).status in (0, 1)
    finally:
        subprocess.run(["rm", "-rf", space / "d"], check=True)


ESCAPING = ("/etc/AGENTS.md", "../AGENTS.md", "a/../../AGENTS.md", "/", "..", ".", "", "a\0b")


@pytest.mark.parametrize("path", ESCAPING)
def test_paths_on_stdin_that_lead_outside_are_malformed(path: str, run: Run) -> None:
    rows = [{"path": "MEMORY.md", "text": "- a\n"}, {"path": path, "text": "- Run `npm run x` first.\n"}]
    done = run("dedupe", "-", stdin="".join(json.dumps(row) + "\n" for row in rows), timeout=10)
    assert (done.status, done.out) == (65, b"")
    assert done.err.startswith("ctxkit: stdin: line 2: the path is not relative to the workspace")


def test_the_name_of_a_document_on_stdin_lies_in_the_current_directory(run: Run, space: Path) -> None:
    assert run("dedupe", "-", "--stdin-name", "/etc/AGENTS.md", stdin=COPY, cwd=space, timeout=10).status == 2
    done = run("dedupe", "-", "--stdin-name", str(space / "MEMORY.md"), "--json", stdin=COPY, cwd=space)
    assert json.loads(done.out)[0]["path"] == "MEMORY.md"


DEEP = '{"a":' * 2000 + "1" + "}" * 2000


def test_json_that_is_nested_deep_is_malformed(run: Run, space: Path) -> None:
    assert run("dedupe", "-", stdin=DEEP).status == 65
    assert run("dedupe", "-", stdin="[" * 100_000).status in (0, 1)
    (space / "known.json").write_text(DEEP)
    assert run("dedupe", "--baseline", "known.json", cwd=space).status == 65


def test_files_that_are_nested_deep_are_passed_over(run: Run, space: Path) -> None:
    (space / ".gemini").mkdir()
    (space / ".gemini" / "settings.json").write_text("/*" * 200_000 + DEEP)
    (space / "package.json").write_text(DEEP)
    (space / "pyproject.toml").write_text("a = " + "[" * 5000 + "]" * 5000)
    (space / "CLAUDE.md").write_text("Run `npm run x`, `poe x`, `make x`.\n")
    assert run("dedupe", cwd=space, timeout=20).status in (0, 1)


@pytest.mark.slow
def test_a_workspace_that_is_too_large_is_refused(run: Run, space: Path) -> None:
    for number in range(5):
        (space / f"d{number}").mkdir()
        with (space / f"d{number}" / "AGENTS.md").open("wb") as file:
            file.truncate(15 << 20)
    done = run("dedupe", cwd=space)
    assert (done.status, done.out) == (65, b"")
    assert done.err == "ctxkit: .: more than 64 MB of text\n  hint: name files or directories\n"


def test_a_file_that_is_too_large_is_skipped_and_that_is_said(run: Run, space: Path) -> None:
    with (space / "MEMORY.md").open("wb") as file:
        file.truncate(17 << 20)
    done = run("dedupe", "--exit-zero", cwd=space)
    assert done.status == 0
    assert "MEMORY.md is over 16 MB, and is skipped" in done.err


def test_a_named_file_that_is_too_large_is_refused(run: Run, space: Path) -> None:
    with (space / "MEMORY.md").open("wb") as file:
        file.truncate(17 << 20)
    done = run("dedupe", "MEMORY.md", cwd=space)
    assert (done.status, done.out) == (65, b"")
    assert done.err == "ctxkit: MEMORY.md: it is larger than 16 MB\n  hint: name files or directories that hold less\n"


@pytest.mark.slow
def test_a_document_on_stdin_that_is_too_large_is_refused(run: Run, space: Path) -> None:
    done = run("dedupe", "-", cwd=space, stdin=b"x" * (65 << 20))
    assert (done.status, done.out) == (65, b"")
    assert done.err == "ctxkit: stdin: it is larger than 64 MB\n  hint: name files or directories that hold less\n"
