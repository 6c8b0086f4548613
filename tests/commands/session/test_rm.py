import os
import time

TEXT = b"".join(b"row %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(400))
SIZED = ("--window", "2000", "--tokenizer", "bytes/3")


def refs(run):
    return [line.split()[0] for line in run("cache", "list").out.decode().splitlines()]


def test_a_session_goes_with_the_content_that_is_its_own(run):
    run("gate", *SIZED, "--session", "s", stdin=TEXT + b"one\n")
    run("gate", *SIZED, "--session", "s", stdin=TEXT + b"both\n")
    run("gate", *SIZED, "--session", "t", stdin=TEXT + b"both\n")
    run("gate", *SIZED, stdin=TEXT + b"nobody's\n")
    assert len(refs(run)) == 3
    done = run("session", "rm", "s")
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert len(refs(run)) == 2
    assert run("session", "status", "s").status == 1
    assert run("session", "rm", "t").status == 0
    assert len(refs(run)) == 1


def test_either_all_go_or_none(run):
    run("session", "new", "s", *SIZED)
    assert run("session", "rm", "s", "t").status == 1
    assert run("session", "status", "s").status == 0
    assert run("session", "rm").status == 2


def test_collecting_leaves_what_an_active_session_refers_to(run):
    run("gate", *SIZED, "--session", "s", stdin=TEXT)
    run("gate", *SIZED, stdin=TEXT + b"nobody's\n")
    for ref in refs(run):
        os.utime(run("cache", "path", ref).out.decode().strip(), (time.time() - 3600,) * 2)
    assert run("cache", "gc", "--max-size", "1").status == 0
    assert len(refs(run)) == 1
    run("session", "rm", "s")
    assert refs(run) == []


def test_what_is_held_elsewhere_stays(run, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'{"role":"user","content":"a"}\n{"role":"user","content":"b"}\n')
    before = path.read_bytes()
    for name in "st":
        run("session", "new", name, *SIZED)
    assert run("edit", "remove", "2", path, "--in-place", env={"CTXKIT_SESSION": "s"}).status == 0
    ref = run("gate", "--session", "s", stdin=TEXT).out.decode().partition("cache get ")[2][:12]
    run("snapshot", "save", "t", stdin=f'{{"role":"user","content":"ctxkit cache get {ref}"}}')
    assert run("session", "rm", "s").status == 0
    assert run("cache", "get", ref).out == TEXT
    assert run("edit", "restore", path).out == before
    assert run("session", "rm", "t").status == 0
