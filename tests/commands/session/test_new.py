import json
import re

import pytest

from tests.conftest import Run


def status_of(run, name):
    return json.loads(run("session", "status", name, "--json").out)


def test_an_id_is_made_up_that_sorts_by_age(run: Run) -> None:
    names = [run("session", "new", "--window", "1000").out.decode() for _ in range(2)]
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{8}\n", name) for name in names)
    assert names[0] != names[1]
    assert [name[:16] for name in names] == sorted(name[:16] for name in names)
    assert status_of(run, names[0].strip())["used"] == 0


def test_a_session_is_begun_as_it_is_asked_for(run: Run) -> None:
    done = run("session", "new", "s", "--model", "qwen3-30b", "--window", "1000", "--reserve", "10%", "--used", "70")
    assert (done.status, done.out, done.err) == (0, b"s\n", "")
    found = status_of(run, "s")
    assert abs(found.pop("created") - found.pop("updated")) < 1
    assert found == {
        "session": "s",
        "model": "qwen3-30b",
        "window": 1000,
        "reserve": 100,
        "used": 70,
        "held": 0,
        "available": 830,
        "estimated": 0,
        "items": 0,
        "gatings": 0,
        "compactions": 0, "edits": 0,
        "tight": False,
        "blocked": False,
        "due": False,
    }


def test_a_name_is_taken_once(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--used", "5")
    done = run("session", "new", "s", "--window", "2000")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: session s exists\n  hint: ctxkit session reset s")
    assert status_of(run, "s")["used"] == 5


@pytest.mark.parametrize("name", ["a/b", "../x", ".x", "", "a b", "x" * 129])
def test_a_bad_name_is_a_slip_with_a_hint(run: Run, name: str) -> None:
    done = run("session", "new", name, "--window", "1000")
    assert done.status == 2
    assert "is not the name of a session\n  hint: letters, digits and . _ - :" in done.err


def test_a_window_must_be_known(run: Run) -> None:
    done = run("session", "new")
    assert (done.status, done.out) == (2, b"")
    assert "--model" in done.err
    assert run("session", "new", env={"CTXKIT_MODEL": "qwen3-30b"}).status == 0
