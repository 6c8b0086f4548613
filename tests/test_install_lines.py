"""No line of the repository installs ctxkit from a registry, where the name belongs to another program or to nobody."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"ctxkit(-cli)?(\[[^\]]*\]?)?([=<>!~@].*)?")
"""A requirement that an installer looks up: no path, no URL and no file of a package."""
INSTALLER = re.compile(
    r"(?<![\w.-])(?P<program>pip[\d.]*|pipx|uvx?|npx|bunx|npm|pnpm|yarn|bun|poetry|pdm|rye|hatch|pixi|conda|mamba|micromamba|brew|port"
    r"|apt|apt-get|aptitude|dnf|yum|zypper|apk|pacman|emerge|snap|nix-env|nix|choco|scoop|winget|gem|cargo|go|easy_install)(?=\s+(?P<rest>.*))"
)
VERBS = re.compile(r"install|reinstall|add|download|wheel|run|exec|dlx|sync|inject|-S\w*|-i\w*|get|lock|upgrade")
"""What makes an installer fetch the packages that follow."""
AT_ONCE = ("uvx", "npx", "bunx", "easy_install", "emerge")
"""Installers that fetch the first package that they are given."""
SOURCES = ("--from", "--spec")
"""Options whose value says what to install; the word after it is then a command."""
END = re.compile(r"\s(?:&&|\|\|?|;|#)(?:\s|$)|[;`]|\s\.\.\. ")
MAX_WORDS = 20
"""Words of a command that are read: a line of a completion has thousands."""
LIST = re.compile(r"additional_dependencies:.*")
REQUIREMENTS = re.compile(r"(?:^|/)(?:requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$")


def find_installs(text: str, path: str = "") -> Iterator[str]:
    """Yield the lines of a text that install ctxkit, or ctxkit-cli, from a registry."""
    plain = text.replace("\\\n", " ").replace("\\(aq", "'").replace("\\-", "-")
    for line in re.sub(r"\\f[BIRP]", "", plain).splitlines():
        if "ctxkit" in line and (is_command(line) or is_list(line) or (REQUIREMENTS.search(path) and is_requirement(line))):
            yield line


def is_command(line: str) -> bool:
    return any(is_install(match["program"], match["rest"]) for match in INSTALLER.finditer(" ".join(split_words(line))))


def is_list(line: str) -> bool:
    """Return whether a line of pre-commit's configuration lists ctxkit."""
    listed = LIST.search(line)
    return listed is not None and any(map(NAME.fullmatch, split_words(re.sub(r"[\[\]]", " ", listed[0]))))


def is_requirement(line: str) -> bool:
    return NAME.fullmatch(re.split("[#;]", line)[0].replace(" ", "")) is not None


def split_words(line: str) -> list[str]:
    """Return the words of a command, also of one whose words are strings of a list in a program."""
    return re.sub(r"\bf(?=[\"'])|[\"',(){}]", " ", line.replace("''", " ")).split()


def is_install(program: str, rest: str) -> bool:
    words = END.split(f" {rest} ")[0].split()[:MAX_WORDS]
    verb = next((at for at, word in enumerate(words) if VERBS.fullmatch(word)), None)
    if any(word.startswith("uninstall") or word == "remove" for word in words[:3]) or (verb is None and program not in AT_ONCE):
        return False
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in SOURCES]
    named += [word.partition("=")[2] for word in words if word.startswith(tuple(f"{option}=" for option in SOURCES))]
    if not named:
        named = words[0 if verb is None else verb + 1 :]
        if program == "pipx" and words[verb or 0] == "inject":
            named = named[1:]  # the first is the environment
        if program == "uv" and "run" in words and "--with" not in words and "tool" not in words:
            named = []  # a command of the project
    return any(NAME.fullmatch(word.rstrip(".:")) for word in named)


REGISTRY = [
    *("pip install ctxkit", "pip install ctxkit-cli", "pip3 install 'ctxkit[all]'", "python -m pip install -U ctxkit==0.1.0"),
    *("$ pip install --user ctxkit  # comment", "- run: pip install ctxkit", "RUN pip install --no-cache-dir ctxkit", "pip download ctxkit"),
    *("pipx install ctxkit", "pipx install --force 'ctxkit[redis]'", "pipx run ctxkit gate", "pipx run --spec ctxkit-cli ctxkit gate"),
    *("pipx inject other ctxkit", "uv tool install ctxkit", "or: uv tool install ctxkit; pip install x", "uv pip install ctxkit-cli"),
    *("uv add ctxkit", "uvx ctxkit gate", "uvx --from ctxkit-cli ctxkit gate", "uvx --from=ctxkit-cli ctxkit", "uv tool run ctxkit"),
    *("uv run --with ctxkit gate", "brew install ctxkit", "sudo apt install ctxkit", "sudo apt-get install -y ctxkit-cli", "dnf install ctxkit"),
    *("npm install -g ctxkit", "npx ctxkit", "conda install -c conda-forge ctxkit", "poetry add ctxkit", "nix-env -iA ctxkit"),
    *("additional_dependencies: [ctxkit]", "    additional_dependencies: ['ctxkit-cli==0.1.0']", "cargo install ctxkit", "pacman -S ctxkit"),
    *("pip install redis; pip install ctxkit", "pip install redis && pipx install ctxkit"),
    *("For some files ctxkit needs `pip install 'ctxkit[hf]'`.", r"needs \fBpip install \(aqctxkit[hf]\(aq\fR or more"),
    *('call(folder / "pip", "install", "--find-links", dist, f"ctxkit=={version}")', "pip install \\\n  ctxkit", "hint = \"pip install 'ctxkit[redis]'\""),
]
ELSEWHERE = [
    *("pip install .", "pipx install .", "uv tool install .", "pip install '.[all]'", "pip install -e '.[test]'", "pipx install --force ."),
    *("pip install redis", "python -m pip install 'redis>=5.2'", "pipx inject ctxkit-cli 'redis>=5.2'", "pipx uninstall ctxkit"),
    *("pip uninstall -y ctxkit", "uv tool uninstall ctxkit", "apt remove ctxkit", "uvx --from . ctxkit gate", "pipx run --spec . ctxkit gate"),
    *("sudo apt install ./dist/ctxkit-cli_0.1.0_amd64.deb", "brew install --HEAD packaging/ctxkit.rb", "uv run ctxkit gate"),
    *("pip install dist/ctxkit_cli-0.1.0-py3-none-any.whl", "pip install git+https://github.com/ctxkit/ctxkit", "npm install 2>&1 | ctxkit gate"),
    *("ctxkit run -- pip install flask", "podman build -f packaging/Containerfile -t ctxkit .", "go test ./... 2>&1 | ctxkit gate"),
    *("pipx runpip ctxkit-cli install --force-reinstall 'redis>=5.2'", "cargo test; ctxkit run x", "pip freeze | grep ctxkit"),
]


@pytest.mark.parametrize("line", REGISTRY)
def test_a_line_that_installs_from_a_registry_is_found(line: str) -> None:
    assert list(find_installs(line)), line


@pytest.mark.parametrize("line", ELSEWHERE)
def test_another_line_is_not_found(line: str) -> None:
    assert not list(find_installs(line)), line


def test_a_file_of_requirements_is_read_line_by_line() -> None:
    assert list(find_installs("redis\nctxkit >= 0.1 # x\n", "docs/requirements-dev.txt")) == ["ctxkit >= 0.1 # x"]
    assert not list(find_installs("redis\nctxkit\n", "docs/words.txt"))


def read_texts() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each tracked file that mentions ctxkit, but this one."""
    listed = subprocess.run(["git", "grep", "-lIz", "ctxkit"], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in listed.stdout.split("\0"):
        if path and (ROOT / path).is_file() and ROOT / path != Path(__file__):
            yield path, (ROOT / path).read_text(encoding="utf-8", errors="replace")


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a work tree of git knows its files")
def test_no_line_installs_ctxkit_from_a_registry() -> None:
    texts = dict(read_texts())
    assert {"README.md", "man/ctxkit.1", "examples/dedupe.yml", "packaging/ctxkit.rb", "pyproject.toml"} <= texts.keys()
    assert [f"{path}: {line.strip()}" for path, text in texts.items() for line in find_installs(text, path)] == []
