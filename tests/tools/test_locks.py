"""The lock files have every package that pyproject.toml names, in a release that it allows, with hashes."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BUILD = [line for line in (ROOT / "requirements/build.in").read_text().splitlines() if not line.startswith("#")]
NEEDED = {
    "core": [*PROJECT["dependencies"], *BUILD],
    "test": [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"], *BUILD],
}


def read_lock(name: str) -> dict[str, list[str]]:
    """Return the releases of each package in a lock file; each has hashes."""
    releases: dict[str, list[str]] = {}
    text = (ROOT / f"requirements/{name}.lock").read_text()
    for entry in re.split(r"(?<!\\)\n", re.sub(r"(?m)^#.*\n", "", text).strip()):
        head, *hashes = entry.split("\\\n")
        package, release = re.fullmatch(r"([A-Za-z0-9._-]+)==([^ ;]+)(?: ;.*)? ?", head.rstrip()).groups()
        assert hashes, head
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64} ?", line) for line in hashes), head
        releases.setdefault(canonicalize_name(package), []).append(release)
    return releases


@pytest.mark.parametrize("name", NEEDED)
def test_a_lock_has_what_the_project_needs(name: str) -> None:
    releases = read_lock(name)
    for requirement in map(Requirement, NEEDED[name]):
        locked = releases.get(canonicalize_name(requirement.name), [])
        assert locked, f"{requirement}: make locks"
        assert all(requirement.specifier.contains(release) for release in locked), f"{requirement}: make locks"


def test_both_locks_have_the_same_releases() -> None:
    core, test = read_lock("core"), read_lock("test")
    assert {package: test[package] for package in core} == core


@pytest.mark.parametrize(("target", "name"), [(".venv/core", "core"), (".venv/test", "test")])
def test_make_installs_by_hash_unless_it_is_told_not_to(target: str, name: str) -> None:
    command = ["make", "--dry-run", "--always-make", target]
    locked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"--require-hashes --requirement requirements/{name}.lock" in locked
    assert "--no-deps --no-build-isolation" in locked
    newest = subprocess.run([*command, "LOCKED="], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "--require-hashes" not in newest
    assert "--no-deps" not in newest


@pytest.mark.parametrize("file", ["packaging/Containerfile", "packaging/ctxkit.rb"])
def test_packages_are_built_by_hash(file: str) -> None:
    text = (ROOT / file).read_text()
    assert text.count("--require-hashes") == text.count("requirements/core.lock") == 1
    assert text.count("--no-deps") == text.count('"install", "') + text.count("pip install") - 1
