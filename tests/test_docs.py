"""Every example in the documentation is run as it is written."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.exit import Exit
from ctxkit.pages import manual
from ctxkit.pages.tree import told, tree

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "examples/maps.md")
PLACEHOLDER = "3f9a2c81d0b4"
"""The ref that examples name; the test stores content and puts its ref there."""
STORED = "".join(f"line {number}: {'fine' if number % 50 else 'error: no such file'}\n" for number in range(1, 301))
STUBS = ("cargo", "curl", "docker", "go", "journalctl", "kubectl", "make", "npm", "pytest")
"""Producers that examples pipe from; here each prints some output and ends well."""
STUB = "#!/bin/sh\nfor number in 1 2 3; do echo \"${0##*/} $* says $number\"; done\n"
INSTALLERS = ("apt", "apt-get", "brew", "git clone", "man ", "mkdir", "pip", "pipx", "source", "uv")
"""What readers do once, to their own machine; it is not run."""
GRANTED = "export CTXKIT_MODEL=qwen3-30b USED=100 COMMAND='echo done'; seq 9 > output.txt"
"""What a harness has at hand when it calls ctxkit."""
ANSWERS_NO = ("--check",)
"""Words of an example that may answer 1, for "no"."""
MARKS = {r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\&": "", r"\e": "\\"}
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
    """Return every example: those of README and the pages beside it, of each verb's help, and of the man pages."""
    found = [session for page in PAGES for session in sessions((ROOT / page).read_text())]
    single = {f"$ {example}" for verb in tree().walk() for example in told(verb.command)[1]}
    for text in manual.pages().values():
        plain = re.sub(r"\\\(..|\\.", lambda mark: MARKS.get(mark[0], ""), text)
        single |= {line for line in plain.splitlines() if line.startswith("$ ") and "ctxkit" in line}
    return found + [[(line.removeprefix("$ "), [])] for line in sorted(single)]


@pytest.fixture
def user(ctxkit, tmp_path):
    """The environment and directory of a reader who tries the examples."""
    tools, work = tmp_path / "tools", tmp_path / "work"
    tools.mkdir()
    work.mkdir()
    (tools / "ctxkit").symlink_to(ctxkit)
    for name in STUBS:
        (tools / name).write_text(STUB)
        (tools / name).chmod(stat.S_IRWXU)
    for shown in ("README.md", "examples/pytest-failing.log", "examples/chat.jsonl"):
        shutil.copy(ROOT / shown, work)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env = {**kept, "HOME": str(tmp_path), "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return env, work


@pytest.fixture
def ref(user):
    """The ref of content that is stored before the example is run."""
    env, work = user
    done = subprocess.run(["ctxkit", "cache", "put"], env=env, cwd=work, input=STORED.encode(), capture_output=True)
    return done.stdout.decode().strip()


def tried(session: Session, ref: str, user) -> list[tuple[str, int]]:
    """Run commands in one shell; return what each printed and its status."""
    env, work = user
    runnable = [command for command, _ in session if not command.startswith(INSTALLERS)]
    script = "".join(f"{command.replace(PLACEHOLDER, ref)}\nprintf '\\001%s\\001' $?\n" for command in runnable)
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


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize("session", examples(), ids=lambda session: session[-1][0])
def test_an_example_does_what_it_says(session, ref, user):
    runnable = [(command, shown) for command, shown in session if not command.startswith(INSTALLERS)]
    done = tried(session, ref, user)
    assert len(done) == len(runnable)
    for (command, shown), (printed, status) in zip(runnable, done, strict=True):
        assert status == 0 or (status == 1 and any(word in command for word in ANSWERS_NO)), (command, printed)
        assert not shown or as_shown(shown, printed), f"$ {command}\n{printed}"


def test_a_block_is_read_as_a_session():
    block = "$ seq 2\n1\n2\n\n$ printf x \\\n>   | ctxkit gate\n$ true\n"
    assert session_of(block) == [("seq 2", ["1", "2"]), ("printf x \\\n  | ctxkit gate", []), ("true", [])]
    assert sessions(f"text\n```console\n{block}```\n```python\n$ ctxkit gate\n```\n") == [session_of(block)]
    assert sessions("```sh\n# said\nctxkit gate\n```\n") == [[(GRANTED, []), ("ctxkit gate", [])]]


def test_readme_explains_every_status():
    table = (ROOT / "README.md").read_text().partition("## Exit status")[2].partition("\n## ")[0]
    assert set(map(int, re.findall(r"\b\d+\b", table))) >= set(map(int, Exit))


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
def test_output_is_compared_with_gaps(shown, printed, same):
    assert as_shown(shown, printed) is same
