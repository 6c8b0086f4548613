"""The test runners of the suite: how each is started on a project, and what its own report says of the run."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.brief import samples, truth
from bench.brief.projects import Project, Unavailable, sh
from bench.brief.truth import Failed

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = 600
"""Answers of a package that become tests, at most."""
Run = Callable[["Work"], tuple[bytes, list[Failed]]]


@dataclass(frozen=True, slots=True)
class Work:
    """Know where a project with a fault lies, where tools are installed, and what options a run takes."""

    project: Project
    root: str
    tools: str
    options: tuple[str, ...] = ()

    def path(self, name: str) -> str:
        """Return the path of a file in the working copy."""
        return os.path.join(self.root, name)

    def read(self, name: str) -> str:
        """Return the text of a report that a run wrote; raises Unavailable when it did not."""
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise Unavailable(str(error)) from None

    def write(self, name: str, text: str) -> None:
        """Write a file of the working copy."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def pytest(work: Work) -> tuple[bytes, list[Failed]]:
    """Run pytest; its junit report is the truth."""
    tool = os.path.join(work.tools, "python", "bin", "python")
    command = [tool, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=report.xml", work.project.tests]
    log = sh(
        [*command, *work.options], work.root, PYTHONPATH="src:.", COLUMNS="80", CI="", PYTEST_ADDOPTS="-o addopts="
    )
    return log, list(truth.pytest(work.read("report.xml")))


def unittest(work: Work) -> tuple[bytes, list[Failed]]:
    """Run unittest with a result that records."""
    script = os.path.join(HERE, "unittests.py")
    log = sh([sys.executable, script, "report.jsonl", *work.options, work.project.tests], work.root, PYTHONPATH=".")
    return log, list(truth.python(work.read("report.jsonl") if os.path.exists(work.path("report.jsonl")) else ""))


def _record(work: Work, head: str, test: Callable[[str, str, str], str], suffix: str) -> None:
    """Write tests that expect of every function what the package answered before the fault."""
    packed = os.path.join(work.tools, "recorded", re.sub(r"\W+", "-", work.project.name) + ".json")
    with open(packed, encoding="utf-8") as file:
        value = json.load(file)
    value = value[:: len(value) // RECORDED + 1]
    names = sorted({entry["name"] for entry in value})
    for at in range(0, len(names), max(len(names) // 6, 1)):
        name_value = names[at : at + max(len(names) // 6, 1)]
        parts = [head]
        for name in name_value:
            parts.append(f"describe({json.dumps(name)}, () => {{")
            for entry in (entry for entry in value if entry["name"] == name):
                title = f"{name} of {entry['args'][1:-1]}"
                call = f"library{f'[{json.dumps(name)}]' if name != 'default' or suffix else ''}(...{entry['args']})"
                parts.append("  " + test(json.dumps(title, ensure_ascii=False), call, entry["expected"]))
            parts.append("});")
        work.write(f"test/{re.sub(r'[^A-Za-z]', '_', name_value[0] or 'main')}{suffix}", "\n".join(parts) + "\n")


def _scripts(work: Work, flavour: str) -> None:
    """Lay out a project of JavaScript for one of its runners."""
    os.symlink(os.path.join(work.tools, "node", "node_modules"), work.path("node_modules"))
    load = (
        'const loaded = require("../package/"); const library = Object.assign({default: loaded, "": loaded}, loaded);\n'
    )
    equal = {
        "jest": "test({0}, () => {{ expect({1}).toEqual({2}); }});",
        "mocha": 'it({0}, () => {{ require("assert").deepStrictEqual(JSON.parse(JSON.stringify({1})), {2}); }});',
    }
    if flavour == "vitest":
        load = 'import { createRequire } from "module";\nimport { describe, expect, test } from "vitest";\n'
        load += 'const loaded = createRequire(import.meta.url)("../package/");\n'
        load += 'const library = Object.assign({default: loaded, "": loaded}, loaded);\n'
    if flavour == "node":
        load = 'const { describe, it } = require("node:test");\n' + load
    form = equal["jest" if flavour in ("jest", "vitest") else "mocha"]
    suffix = {"vitest": ".test.mjs", "node": ".cjs", "mocha": ".cjs"}.get(flavour, ".test.js")
    _record(work, load, form.format, suffix)
    work.write("package.json", '{"name": "subject", "version": "1.0.0", "private": true}\n')


def jest(work: Work) -> tuple[bytes, list[Failed]]:
    """Run jest; its JSON is the truth."""
    _scripts(work, "jest")
    command = ["node_modules/.bin/jest", "--json", "--outputFile=report.json", "-w", "1", "--no-cache", *work.options]
    log = sh(command, work.root, CI="" if "--colors" in work.options else "true")
    # --json prints the same object on stdout too; only what stands outside of it is the log
    kept = b"\n".join(row for row in log.split(b"\n") if not row.startswith(b'{"num'))
    return kept, list(truth.jest(work.read("report.json")))


def vitest(work: Work) -> tuple[bytes, list[Failed]]:
    """Run vitest; its JSON is the truth."""
    _scripts(work, "vitest")
    shown = work.options[:1] or ("--reporter=default",)
    command = ["node_modules/.bin/vitest", "run", *shown, "--reporter=json", "--outputFile.json=report.json"]
    log = sh([*command, *work.options[1:]], work.root, CI="true", NO_COLOR="" if "--color" in work.options else "1")
    return log, list(truth.jest(work.read("report.json")))


def mocha(work: Work) -> tuple[bytes, list[Failed]]:
    """Run mocha with a reporter that records."""
    _scripts(work, "mocha")
    shown = work.options[0] if work.options else "Spec"
    script = os.path.join(HERE, "mocha.cjs")
    command = ["node_modules/.bin/mocha", "--reporter", script, "test/*.cjs", *work.options[1:]]
    root = os.path.join(work.tools, "node", "node_modules")
    log = sh(command, work.root, MOCHA_ROOT=root, MOCHA_SHOWN=shown, MOCHA_OUT=work.path("report.json"))
    return log, list(truth.mocha(work.read("report.json")))


def node(work: Work) -> tuple[bytes, list[Failed]]:
    """Run node's own test runner with the reporter TAP; its junit report is the truth."""
    _scripts(work, "node")
    to = ["--test-reporter=tap", "--test-reporter-destination=stdout"]
    also = ["--test-reporter=junit", "--test-reporter-destination=report.xml"]
    log = sh(["node", "--test", *to, *also, "test/"], work.root)
    return log, list(truth.junit(work.read("report.xml")))


def go(work: Work) -> tuple[bytes, list[Failed]]:
    """Run go test on a package of the toolchain's own source; its JSON is the truth."""
    faults = os.path.join(work.root, "overlay.json")
    command = ["go", "test", "-overlay", faults, "-count=1"]
    cache = os.path.join(work.tools, "go-build")
    events = sh([*command, "-json", work.project.name], work.root, seconds=240, GOCACHE=cache).decode(
        "utf-8", "replace"
    )
    items = list(truth.go(events))
    if "-json" in work.options:
        return events.encode(), items
    return sh([*command, *work.options, work.project.name], work.root, seconds=240, GOCACHE=cache), items


def _crate(work: Work) -> str:
    """Prepare a crate of Debian's; return the directory of its build."""
    for name in (".cargo-checksum.json", "Cargo.toml.orig", "Cargo.lock"):
        if os.path.exists(work.path(name)):
            os.remove(work.path(name))
    with open(work.path("Cargo.toml"), encoding="utf-8") as file:
        manifest = re.sub(
            r"^\[(?:target\..*)?(?:dev-)?dependencies[^\]]*\]\n(?:[^\[\n].*\n|\n)*", "", file.read(), flags=re.MULTILINE
        )
    manifest = re.sub(r"^\[\[bench\]\]\n(?:[^\[\n].*\n|\n)*", "", manifest, flags=re.MULTILINE)
    manifest = (
        re.sub(r"^(\w[\w-]* = \[).*?\]", r"\1]", manifest, flags=re.MULTILINE) if "[features]" in manifest else manifest
    )
    work.write("Cargo.toml", manifest + "\n[workspace]\n")
    shutil.rmtree(work.path("benches"), ignore_errors=True)
    return os.path.join(work.tools, "cargo", work.project.name)


def cargo(work: Work) -> tuple[bytes, list[Failed]]:
    """Run cargo test; libtest's JSON of a second run is the truth."""
    target = _crate(work)
    command = ["cargo", "test", "--offline", "--no-fail-fast", *work.options]
    log = sh(command, work.root, CARGO_TARGET_DIR=target)
    result = sh(
        [*command, "--", "-Z", "unstable-options", "--format", "json"],
        work.root,
        CARGO_TARGET_DIR=target,
        RUSTC_BOOTSTRAP="1",
    )
    return log, list(truth.rust(result.decode("utf-8", "replace")))


def nextest(work: Work) -> tuple[bytes, list[Failed]]:
    """Run cargo nextest; its junit report is the truth."""
    target = _crate(work)
    work.write(".config/nextest.toml", '[profile.default.junit]\npath = "report.xml"\n')
    tool = os.path.join(work.tools, "python", "bin")
    path = f"{tool}{os.pathsep}{os.environ['PATH']}"
    command = ["cargo", "nextest", "run", "--offline", "--no-fail-fast", *work.options]
    log = sh(command, work.root, CARGO_TARGET_DIR=target, PATH=path)
    places = (os.path.join(base, "nextest/default/report.xml") for base in (target, work.path("target")))
    report = next((place for place in places if os.path.exists(place)), "")
    if not report:
        raise Unavailable("nextest wrote no report")
    with open(report, encoding="utf-8") as file:
        data = file.read()
    os.remove(report)
    return log, list(truth.nextest(data))


def rspec(work: Work) -> tuple[bytes, list[Failed]]:
    """Run RSpec on a sample; its JSON is the truth."""
    samples.ruby(work.write, work.project.name)
    command = ["rspec", "-f", *(work.options or ("progress",)), "-f", "json", "-o", "report.json"]
    return sh(command, work.root), list(truth.rspec(work.read("report.json")))


def phpunit(work: Work) -> tuple[bytes, list[Failed]]:
    """Run PHPUnit on a sample; its junit report is the truth."""
    samples.php(work.write, work.project.name)
    command = ["phpunit", "--log-junit", "report.xml", *work.options, "tests"]
    items = list(truth.phpunit(sh_then(command, work), prose="--testdox" in work.options))
    return work_log(work), items


def sh_then(command: Sequence[str], work: Work) -> str:
    """Run a command, keep its log beside its report, and return the report."""
    log = sh(list(command), work.root)
    with open(work.path("log"), "wb") as file:
        file.write(log)
    return work.read("report.xml")


def work_log(work: Work) -> bytes:
    """Return the log that ``sh_then`` kept."""
    with open(work.path("log"), "rb") as file:
        return file.read()


def ctest(work: Work) -> tuple[bytes, list[Failed]]:
    """Run ctest on a sample; its junit report is the truth."""
    samples.cmake(work.write, work.project.name)
    sh(["cmake", "-S", ".", "-B", "build"], work.root)
    command = ["ctest", "--test-dir", "build", "--output-junit", "../report.xml", *work.options]
    result = truth.junit(sh_then(command, work))
    return work_log(work), [Failed(item.name) for item in result]


RUNNERS: dict[str, tuple[str, Run, tuple[tuple[str, ...], ...]]] = {
    "pytest": (
        "python",
        pytest,
        (
            *((), ("-q",), ("-v",), ("--tb=short",), ("--tb=line",), ("-n2", "-v"), ("--color=yes",)),
            *(("-rA",), ("--tb=native",), ("--tb=no",), ("--tb=long", "-vv"), ("-q", "-rN"), ("--cov=.", "-q")),
        ),
    ),
    "unittest": ("unittest", unittest, ((), ("-v",))),
    "jest": ("javascript", jest, ((), ("--verbose",), ("--colors",), ("--coverage",))),
    "vitest": (
        "javascript",
        vitest,
        ((), ("--reporter=verbose",), ("--reporter=tree",), ("--reporter=default", "--color")),
    ),
    "mocha": ("javascript", mocha, ((), ("Dot",))),
    "go": ("go", go, ((), ("-v",), ("-json",))),
    "cargo": ("rust", cargo, ((),)),
    "nextest": ("rust", nextest, ((),)),
    "tap": ("javascript", node, ((),)),
    "mocha-tap": ("javascript", mocha, (("TAP",),)),
    "rspec": ("ruby", rspec, ((), ("documentation",))),
    "phpunit": ("php", phpunit, ((), ("--testdox",))),
    "ctest": ("cmake", ctest, (("--output-on-failure",), ())),
}
"""The language, the way to run, and the options of each runner, one choice a run."""


def reports(work: Work) -> Iterator[str]:
    """Yield the JUnit reports that a run has left."""
    if os.path.exists(work.path("report.xml")):
        yield work.read("report.xml")
