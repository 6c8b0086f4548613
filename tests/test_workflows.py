"""Workflows parse, pin their actions, and run what a machine of a developer runs."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github" / "workflows"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="an sdist holds no hidden files")
PATHS = (*sorted(FOLDER.glob("*.yml")), ROOT / "examples" / "dedupe.yml")
yaml = pytest.importorskip("yaml", reason="pyyaml is not installed: make test installs it")


def read(path: Path) -> dict[str, Any]:
    """Return a workflow; YAML 1.1 reads the key ``on`` as true."""
    return {"on" if key is True else key: value for key, value in yaml.safe_load(path.read_text()).items()}


def steps_of(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_every_job_has_a_machine_and_steps_that_do_one_thing(path: Path) -> None:
    workflow = read(path)
    assert {"name", "on", "permissions", "jobs"} <= workflow.keys()
    for job in workflow["jobs"].values():
        assert re.fullmatch(r"(ubuntu|macos)-[\w.]+", job["runs-on"])
        assert set(job.get("needs", "").split()) <= workflow["jobs"].keys()
    for step in steps_of(workflow):
        assert ("uses" in step) != ("run" in step), step


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.name)
def test_actions_are_pinned_to_commits_and_jobs_have_a_limit(path: Path) -> None:
    workflow, text = read(path), path.read_text()
    used = [step["uses"] for step in steps_of(workflow) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action)
        assert re.search(rf"{action} # v\d+\.\d+\.\d+\n", text), "the version is in a comment"
    assert all(job["timeout-minutes"] <= 60 for job in workflow["jobs"].values())
    assert workflow["permissions"] == {"contents": "read"}


def test_each_supported_python_is_tried_on_linux_and_macos() -> None:
    jobs = read(FOLDER / "ci.yml")["jobs"]
    versions: dict[str, set[str]] = {"ubuntu": set(), "macos": set()}
    for job in jobs.values():
        listed = job.get("strategy", {}).get("matrix", {}).get("python", [])
        named = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
        assert len(named) == 1
        versions[job["runs-on"].split("-")[0]].update(listed or named)
    assert versions == {"ubuntu": {"3.11", "3.12", "3.13", "3.14"}, "macos": {"3.11", "3.12", "3.13", "3.14"}}


def test_jobs_run_targets_that_exist_and_what_has_not_run_says_so() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    jobs = read(FOLDER / "ci.yml")["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert ".ci/run" in commands
    made = [word for command in commands if command.startswith("make ") for word in command.split()[1:]]
    assert {"check", "test", "test-packages"} == set(made) <= targets
    for job in jobs.values():
        listed = job.get("strategy", {}).get("matrix", {}).get("python", [])
        assert ("untested" in job["name"]) == bool(listed)


def test_a_release_is_published_by_hand_alone_and_without_a_token() -> None:
    workflow = read(FOLDER / "release.yml")
    assert list(workflow["on"]) == ["workflow_dispatch"]
    publish = workflow["jobs"]["publish"]
    assert (publish["permissions"], publish["environment"], publish["needs"]) == ({"id-token": "write"}, "pypi", "build")
    assert "id-token" not in str(workflow["jobs"]["build"])
    assert not re.search(r"secrets\.|password|token:\s*\$", (FOLDER / "release.yml").read_text())
