import json

from tests.conftest import Run


def status_of(run, name):
    return json.loads(run("session", "status", name, "--json").out)


def test_what_is_used_is_what_is_said(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--tokenizer", "bytes/3")
    run("gate", "--session", "s", stdin="some text of twenty-seven\n")
    assert (status_of(run, "s")["used"], status_of(run, "s")["estimated"]) == (9, 9)
    done = run("session", "reset", "s", "--used", "300")
    assert (done.status, done.out, done.err) == (0, b"", "")
    found = status_of(run, "s")
    assert (found["used"], found["estimated"], found["items"], found["available"]) == (300, 0, 1, 500)
    assert run("session", "reset", "s", "--used", "0").status == 0
    assert status_of(run, "s")["used"] == 0


def test_a_forgotten_number_is_no_number(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--used", "40")
    done = run("session", "reset", "s")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: missing option: --used N\n  hint: ctxkit session reset s --used 1200")
    assert status_of(run, "s")["used"] == 40


def test_what_is_not_there_or_not_a_number_is_refused(run: Run) -> None:
    assert run("session", "reset", "s", "--used", "0").status == 1
    assert run("session", "reset", "a/b", "--used", "0").status == 2
    assert run("session", "reset", "s", "--used", "-1").status == 2
