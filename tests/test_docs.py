"""Every example in the documentation is run as it is written; those of README.md and walkthroughs in modules of their own."""

import os
import re
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from ctxkit.core.errors import STATUSES
from ctxkit.registry import VERBS
from tools.pages.text import FOLDER
from tools.pages.tree import split_help, tree

ROOT = Path(__file__).parents[1]
DOCS = tuple(sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")))
WALKTHROUGHS = ("docs/agent-loop.md", "docs/operations.md")
"""Pages whose commands belong together: test_walkthroughs.py runs them in order."""
SHOWN = ("CONTRIBUTING.md", "examples/maps.md", *(page for page in DOCS if page not in WALKTHROUGHS))
"""Pages whose examples are run one by one."""
PAGES = ("README.md", *SHOWN, *WALKTHROUGHS)
"""Pages for readers of the repository."""
TEXTS = tuple(sorted(path.relative_to(ROOT).as_posix() for path in FOLDER.rglob("*.md")))
"""Text of the man pages, whose examples are run and whose links are followed too."""
LINKED = (*PAGES, *TEXTS, "CHANGELOG.md", "SECURITY.md")
"""Pages whose links are followed. Those of examples/rules.md are examples of rules."""
PLACEHOLDER = "3f9a2c81d0b47e65"
"""The ref that examples name; the test stores content and puts its ref there."""
STORED = "".join(f"line {number}: {'fine' if number % 50 else 'error: no such file'}\n" for number in range(1, 301))
STUBS = ("cargo", "curl", "docker", "go", "journalctl", "kubectl", "make", "npm", "pytest", "terraform")
"""Producers that examples pipe from; here each prints some output and ends well."""
STUB = "#!/bin/sh\nfor number in 1 2 3; do echo \"${0##*/} $* says $number\"; done\n"
INSTALLERS = ("apt", "apt-get", "brew", "git clone", "man ", "mkdir", "pip", "pipx", "podman", "source", "sudo", "systemctl", "uv", "ctxkit doctor codex", "ctxkit proxy")
"""What readers do once, to their own machine, or with a host that they have; it is not run."""
GRANTED = "export CTXKIT_MODEL=qwen3-30b USED=100 COMMAND='echo done'; seq 9 > output.txt"
"""What a harness has at hand when it calls ctxkit."""
ANSWERS_NO = ("--check", "prompt lint", "prompt diff")
"""Words of an example that may answer 1, for "no"."""
SESSION = "ctxkit session new review-8 --window 8192 && ctxkit session append review-8 chat.jsonl && ctxkit snapshot save review-8 chat.jsonl"
SETUPS = (
    (r"(?<![\w-])SESSION\b", "review-8", SESSION),
    (r"\brestore shorter\.jsonl", "restore shorter.jsonl", "ctxkit edit remove 2:7 chat.jsonl > shorter.jsonl"),
    (r"\bold-prompt\.md", "old-prompt.md", "cp README.md old-prompt.md; sed 's/the/a/' README.md > new-prompt.md"),
    (r"\bmodels rm house-7b", "models rm house-7b", """echo '[{"id": "house-7b", "context_length": 24576}]' | ctxkit models update -"""),
)
"""What an example of a help text takes for granted: its words, what replaces them, and the command that makes it so."""
in_repository = pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="an sdist holds no hidden files")
Session = list[tuple[str, list[str]]]
"""Commands, each with the lines that it is shown to print; none where nothing is shown."""


def sessions(markdown: str) -> list[Session]:
    """Return the shell sessions of a Markdown text: its fenced blocks that call ctxkit."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    blocks = [(language, block) for language, block in found if "ctxkit " in block]
    return [session_of(block) for language, block in blocks if language == "console"] + [
        script_of(block) for language, block in blocks if language == "sh"
    ]


def script_of(block: str) -> Session:
    """Return the commands of a block without prompts, after those that set what it takes for granted."""
    lines = [line for line in block.splitlines() if line and not line.startswith("#")]
    return [(GRANTED, []), *((line, []) for line in lines)]


def session_of(block: str) -> Session:
    """Return the commands of a block with what is shown below each."""
    session: Session = []
    for line in block.splitlines():
        if line.startswith("$ "):
            session.append((line.removeprefix("$ "), []))
        elif session and session[-1][0].endswith("\\") and not session[-1][1]:
            session[-1] = (f"{session[-1][0]}\n{line.removeprefix('> ')}", [])
        elif session:
            session[-1][1].append(line)
    return [(command, trimmed(shown)) for command, shown in session]


def trimmed(lines: list[str]) -> list[str]:
    """Return lines without the empty ones around them."""
    return "\n".join(lines).strip("\n").split("\n") if any(lines) else []


def examples() -> list[Session]:
    """Return every example: those of docs, of the text of the man pages, and of each verb's help."""
    found = [session for page in (*SHOWN, *TEXTS) for session in sessions((ROOT / page).read_text())]
    single = {example for verb in tree().walk() for example in split_help(verb.command)[1]}
    single -= {session[0][0] for session in found if len(session) == 1}
    distinct = {str(session): session for session in found}
    return list(distinct.values()) + [[(example, [])] for example in sorted(single)]


@pytest.fixture
def user(forked_ctxkit: Path, tmp_path: Path):
    """The environment and directory of a reader who tries the examples."""
    tools, work = tmp_path / "tools", tmp_path / "work"
    tools.mkdir()
    work.mkdir()
    (tools / "ctxkit").symlink_to(forked_ctxkit)
    for name in STUBS:
        (tools / name).write_text(STUB)
        (tools / name).chmod(stat.S_IRWXU)
    for shown in ("README.md", "examples/pytest-failing.log", "examples/chat.jsonl", "examples/log.jsonl"):
        shutil.copy(ROOT / shown, work)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env = {**kept, "HOME": str(tmp_path), "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    env["TMPDIR"] = str(tmp_path / "temporary")
    (tmp_path / "temporary").mkdir()
    return env, work


def store_example(user) -> str:
    """Store content that an example reads, and return its ref."""
    env, work = user
    done = subprocess.run(["ctxkit", "cache", "put"], env=env, cwd=work, input=STORED.encode(), capture_output=True)
    return done.stdout.decode().strip()


def tried(session: Session, user) -> list[tuple[str, int]]:
    """Run commands in one shell; return what each printed and its status."""
    env, work = user
    runnable = [command for command, _ in session if not command.startswith(INSTALLERS)]
    script = "".join(f"{command}\nprintf '\\001%s\\001' $?\n" for command in runnable)
    if PLACEHOLDER in script or "ctxkit cache search" in script:
        script = script.replace(PLACEHOLDER, store_example(user))
    for words, substitute, setup in SETUPS:
        if re.search(words, script):
            subprocess.run(["bash", "-c", setup], env=env, cwd=work, check=True, capture_output=True)
            script = re.sub(words, substitute, script)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"], env=env, cwd=work, stdin=subprocess.DEVNULL, stdout=-1, timeout=120
    )
    pieces = done.stdout.decode().split("\1")
    return [(text, int(status)) for text, status in zip(pieces[::2], pieces[1::2], strict=False)]


def as_shown(shown: list[str], printed: str) -> bool:
    """Tell whether output is what is shown of it; ``...`` stands for any lines, or for any part of its line."""
    lines = [".*".join(map(re.escape, line.rstrip().split("..."))) + r"\n" for line in shown]
    pattern = "".join(r"(?:.*\n)*?" if line == r".*\n" else line for line in lines)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in trimmed(printed.splitlines()))) is not None


@pytest.mark.quick_cases(3)
@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize("session", examples(), ids=lambda session: session[-1][0])
def test_an_example_does_what_it_says(session, user) -> None:
    runnable = [(command, shown) for command, shown in session if not command.startswith(INSTALLERS)]
    done = tried(session, user)
    assert len(done) == len(runnable)
    for (command, shown), (printed, status) in zip(runnable, done, strict=True):
        assert status == 0 or (status == 1 and any(word in command for word in ANSWERS_NO)), (command, printed)
        assert not shown or as_shown(shown, printed), f"$ {command}\n{printed}"


def test_a_block_is_read_as_a_session() -> None:
    block = "$ seq 2\n1\n2\n\n$ printf x \\\n>   | ctxkit gate\n$ true\n"
    assert session_of(block) == [("seq 2", ["1", "2"]), ("printf x \\\n  | ctxkit gate", []), ("true", [])]
    assert sessions(f"text\n```console\n{block}```\n```python\n$ ctxkit gate\n```\n") == [session_of(block)]
    assert sessions("```sh\n# said\nctxkit gate\n```\n") == [[(GRANTED, []), ("ctxkit gate", [])]]


def without_code(markdown: str) -> str:
    """Return a Markdown text without its fenced blocks and code spans."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL))


def links(markdown: str) -> list[str]:
    """Return the targets of the links and pictures of a Markdown text."""
    return re.findall(r"\]\(([^)\s]+)\)", without_code(markdown))


def anchors(markdown: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a Markdown text."""
    plain = re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,6} +(.*?) *$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@in_repository
@pytest.mark.parametrize("page", LINKED)
def test_every_link_between_the_documents_resolves(page) -> None:
    for target in links((ROOT / page).read_text()):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.is_file(), f"{page} links to {target}"
        assert not anchor or anchor in anchors(file.read_text()), f"{page} links to {target}"


@pytest.mark.parametrize("page", TEXTS)
def test_a_manual_page_needs_no_paper_or_design_that_its_reader_has_not_read(page: str) -> None:
    assert re.findall(r"(?i)\b(?:the design|arxiv|in the paper|is proved|are proved)\b", (ROOT / page).read_text()) == []


def test_links_and_anchors_are_read_as_github_has_them() -> None:
    assert links("[a](b.md#c) `[d](e)`\n```\n[f](g)\n```\n![h](i.svg)\n") == ["b.md#c", "i.svg"]
    assert anchors("# A page\n```\n# none\n```\n## The path of `gate`: it's\n") == {"a-page", "the-path-of-gate-its"}


def test_every_document_is_linked_from_the_readme() -> None:
    assert set(DOCS) <= {target.partition("#")[0] for target in links((ROOT / "README.md").read_text())}


@pytest.mark.parametrize("page", ["docs/architecture.md", "README.md", "CONTRIBUTING.md"])
def test_every_path_of_the_program_that_a_document_names_exists(page: str) -> None:
    named = re.findall(r"`((?:ctxkit|tests|bench|tools)/[\w./]+)`", (ROOT / page).read_text())
    assert [path for path in named if "NAME" not in path and not (ROOT / path).exists()] == []
    folders = {path.rpartition("/")[0] for path in named if "NAME" in path}
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


@pytest.mark.parametrize("package", ["app", "core"])
def test_a_table_of_packages_is_that_of_the_contract(package: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract.get("containers") == [f"ctxkit.{package}"])
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = re.split(rf"The packages (?:and modules )?of `ctxkit/{package}`", page)[1].partition("---|\n")[2]
    rows = re.findall(r"^\| (`.*?`) \|", table.partition("\n\n")[0], re.MULTILINE)
    named = [sorted(re.findall(r"`(\w+)`", row)) for row in rows]
    assert named == [sorted(re.split(r" [|:] ", layer)) for layer in layers]


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_and_benchmark_that_a_document_names_exists(page) -> None:
    text, makefile = (ROOT / page).read_text(), (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets
    for module, name in re.findall(r"python -m (bench[\w.]*)(?: ([a-z]+))?", text):
        folder = ROOT / module.replace(".", "/")
        assert folder.is_dir() or folder.with_suffix(".py").is_file(), module
        assert not name or (folder / name).is_dir() or (folder / f"{name}.py").is_file(), name


def test_readme_names_every_command() -> None:
    table = (ROOT / "README.md").read_text().partition("## Commands")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"(?<=[|,] )`(\w+)`", table)) == sorted(VERBS)


@in_repository
def test_contributors_are_told_of_all_that_a_change_must_pass() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("## What CI runs")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`make.*?`) \|", table, re.MULTILINE)
    script = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if not line.lstrip().startswith("#")]
    targets = {target.removesuffix(" &&") for target in re.findall(r"\bmake [a-z].*", "\n".join(script))}
    assert set(re.findall(r"`(make [^`]+)`", " ".join(cells))) == targets


def test_readme_explains_every_status() -> None:
    table = (ROOT / "README.md").read_text().partition("## Exit status")[2].partition("\n## ")[0]
    assert set(map(int, re.findall(r"\b\d+\b", table))) >= set(STATUSES)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], "a\nb\n", True),
        (["a", "b"], "a\nb", True),
        (["a", "..."], "a\nb\nc\n", True),
        (["a", "...", "c"], "a\nc\n", True),
        (["a", "...", "c"], "a\nb\n", False),
        (["a.c"], "abc\n", False),
        (["a...z"], "abcz\n", True),
        (["a...z"], "abc\n", False),
        (["a"], "a\nb\n", False),
    ],
)
def test_output_is_compared_with_gaps(shown, printed: str, same: bool) -> None:
    assert as_shown(shown, printed) is same
