"""A place where a shell completes what is typed, with few commands on its path."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.brief.kind_detection import list_content_types
from ctxkit.core.lint.registry import rules
from ctxkit.core.models.lookup import MODELS
from ctxkit.registry import CACHE, VERBS
from tools.pages import completion

REF = "90cdaf13f564e4d2"
"""The ref of the numbers to 9, which are stored."""
QWEN = {name for name in MODELS if name.startswith("qwen3")}
POSITIONS = [
    ("ctxkit ga", {"gate"}),
    ("ctxkit ", set(VERBS)),
    ("ctxkit cache g", {"get", "gc"}),
    ("ctxkit cache ", set(CACHE)),
    ("ctxkit gate --mo", {"--model"}),
    ("ctxkit gate --model qwen3", QWEN),
    ("ctxkit gate --used 5 --model qwen3", QWEN),
    ("ctxkit gate --model haiku --hint r", {"read_file", "read_result"}),
    ("ctxkit gate --tokenizer o2", {"o200k"}),
    ("ctxkit gate --window ", set()),
    ("ctxkit gate here", {"here.txt"}),
    ("ctxkit gate --events here", {"here.txt"}),
    ("ctxkit cache get --li", {"--lines"}),
    ("ctxkit cache get --lines 1:2 here", {"here.txt"}),
    ("ctxkit cache list ", set()),
    ("ctxkit run -- seq", {"seq"}),
    ("ctxkit run seq", {"seq"}),
    ("ctxkit run --model haiku -- ls here", {"here.txt"}),
    ("ctxkit run ls here", {"here.txt"}),
    ("ctxkit run -- gate --mo", set()),
    ("ctxkit init cod", {"codex"}),
    ("ctxkit hook q", {"qwen"}),
    ("ctxkit doctor op", {"opencode"}),
    ("ctxkit gate --host cl", {"claude-code", "cline"}),
    ("ctxkit count --format lang", {"langchain"}),
    ("ctxkit count --by to", {"total"}),
    ("ctxkit edit list --by ta", {"task"}),
    ("ctxkit dedupe --output-format s", {"sarif"}),
    ("ctxkit dedupe --select REF", {code for code in rules() if code.startswith("REF")}),
    ("ctxkit dedupe --ignore DUP001,DUP00", {f"DUP001,{code}" for code in rules() if code.startswith("DUP00")} - {"DUP001,DUP001"}),
    ("ctxkit prompt lint --ignore-kind uu", {"uuid"}),
    ("ctxkit models show house", {"house-7b"}),
    ("ctxkit models list house-7", {"house-7b"}),
    ("ctxkit gate --model local:", {"local:8b"}),
    ("ctxkit count --tokenizer cl100", {"cl100k"}),
    ("ctxkit cache path 90cd", {REF}),
    ("ctxkit cache rm ", {REF}),
    ("ctxkit cache get 90", {REF}),
    ("ctxkit edit restore --from 9", {REF}),
    ("ctxkit session status rev", {"review-7"}),
    ("ctxkit session rm review-7 night", {"nightly:3"}),
    ("ctxkit session append nightly:", {"nightly:3"}),
    ("ctxkit session append review-7 here", {"here.txt"}),
    ("ctxkit snapshot diff review-7 here", {"here.txt"}),
    ("ctxkit gate --session r", {"review-7"}),
    ("ctxkit brief --type pyt", {name for name in list_content_types() if name.startswith("pyt")}),
    ("ctxkit compact --summarizer ex", {"extract"}),
    ("ctxkit compact --stages clear,s", {"clear,summarize"}),
    ("ctxkit turn --to anth", {"anthropic"}),
    ("ctxkit count --max ", set()),
    ("ctxkit dedupe here", {"here.txt"}),
    *([("ctxkit completion z", {"zsh"})] if "completion" in VERBS else []),
]


@pytest.fixture(params=POSITIONS, ids=[line for line, _ in POSITIONS])
def position(request: pytest.FixtureRequest):
    """A line that a user has typed, and the words that a shell should offer."""
    return request.param


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory, ctxkit: str) -> Path:
    """A home with the scripts, a file, a folder of three commands, a model, two sessions and stored content."""
    home = tmp_path_factory.mktemp("completion")
    (home / "here.txt").write_text("")
    tools = home / "tools"
    tools.mkdir()
    for name, path in (("seq", shutil.which("seq")), ("ls", shutil.which("ls")), ("ctxkit", ctxkit)):
        (tools / name).symlink_to(str(path))
    for name, text in completion.scripts().items():
        (home / name).write_text(text)
    (home / ".config" / "ctxkit").mkdir(parents=True)
    models = "".join(f'[models."{name}"]\nwindow = 24576\n' for name in ("house-7b", "local:8b", "$(touch evil)"))
    (home / ".config" / "ctxkit" / "config.toml").write_text(models)
    for words in (("session", "new", "review-7", "--window", "9000"), ("session", "new", "nightly:3", "--window", "9")):
        subprocess.run([ctxkit, *words], env=make_environment(home), check=True, capture_output=True)
    numbers = "".join(f"{number}\n" for number in range(1, 10)).encode()
    subprocess.run([ctxkit, "cache", "put"], env=make_environment(home), input=numbers, check=True, capture_output=True)
    return home


def make_environment(home: Path) -> dict[str, str]:
    """Return the environment of a shell whose commands are few."""
    return {"HOME": str(home), "PATH": str(home / "tools"), "LC_ALL": "C.UTF-8", "TERM": "dumb"}


@pytest.fixture
def asked(place):
    """Run a shell whose commands are few, and return its answer as a set of words."""

    def asked(*command, path: str = ""):
        shell = shutil.which(command[0])
        env = make_environment(place) | ({"PATH": path} if path else {})
        done = subprocess.run([shell, *command[1:]], cwd=place, env=env, capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        return {line.partition("\t")[0] for line in done.stdout.splitlines() if line}

    return asked
