"""Words in everything that is stored."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.engines.local_store import LocalStore
from tests.conftest import Run

LOG = "".join(f"step {number} done\n" for number in range(1, 400)) + "error: unresolved import `serde`\n"


def put(run, text, *args):
    return run("cache", "put", *args, stdin=text).out.decode().strip()


def test_a_hit_is_shown_below_its_ref_with_the_number_of_its_line(run: Run) -> None:
    ref = put(run, LOG, "--tool", "sh", "--name", "build.log")
    put(run, "nothing of interest\n")
    done = run("cache", "search", "unresolved", "import")
    assert (done.status, done.err) == (0, "")
    assert done.out.decode() == f"{ref}  5.4 KB  sh  build.log\n  400: error: unresolved import `serde`\n"


def test_json_prints_a_hit_a_line_with_the_lines_of_its_passage(run: Run) -> None:
    ref = put(run, LOG)
    (line,) = run("cache", "search", "serde", "--json").out.splitlines()
    hit = json.loads(line)
    assert (hit["ref"], hit["line"], hit["text"]) == (ref, 400, "error: unresolved import `serde`")
    first, last = hit["lines"]
    part = run("cache", "get", ref, "--lines", f"{first}:{last}").out.decode()
    assert part == "".join(LOG.splitlines(keepends=True)[first - 1 : last])
    assert hit["score"] > 0


def test_a_search_covers_the_project_and_the_session_of_the_caller(run: Run, tmp_path: Path) -> None:
    refs = {}
    for project in ("one", "two"):
        (tmp_path / project / ".git").mkdir(parents=True)
        (tmp_path / project / "deep").mkdir()
        for session in ("", "s", "t"):
            text = f"the zebra of {project} {session}\n" * 200
            flags = ["--session", f"{project}-{session}"] if session else []
            done = run("gate", "--limit", "200", "--json", *flags, stdin=text, cwd=tmp_path / project)
            refs[project, session] = json.loads(done.out)["ref"]

    def search(*args: str, session: str = "") -> set[str]:
        env = {"CTXKIT_SESSION": session} if session else {}
        out = run("cache", "search", "zebra", "--json", "--max-results", "999", *args, cwd=tmp_path / "one" / "deep", env=env).out
        return {json.loads(line)["ref"] for line in out.splitlines()}

    assert search() == {refs["one", session] for session in ("", "s", "t")}
    assert search(session="one-s") == {refs["one", session] for session in ("", "s")}
    assert search(session="two-s") == {refs["one", ""], refs["two", "s"]}
    assert search("--session", "two-t") == {refs["two", "t"]}
    assert search("--all") == set(refs.values())


def test_nothing_found_is_an_honest_no(run: Run) -> None:
    put(run, LOG)
    assert (run("cache", "search", "zebra").status, run("cache", "search", "zebra").out) == (1, b"")


def test_passages_with_some_words_come_when_none_has_all(run: Run) -> None:
    put(run, LOG)
    done = run("cache", "search", "serde", "zebra")
    assert done.status == 0
    assert b"serde" in done.out
    assert done.err == "ctxkit: warning: no passage contains all of these words; these contain some of them\n"


def test_what_was_stored_or_removed_since_the_last_search_is_known(run: Run) -> None:
    gone = put(run, "the heron flies\n")
    assert run("cache", "search", "heron").status == 0
    run("cache", "rm", gone)
    new = put(run, "a heron lands\n")
    assert run("cache", "search", "heron").out.decode().startswith(new)


def test_a_tool_narrows_the_search(run: Run) -> None:
    first = put(run, "the heron flies\n", "--tool", "sh")
    put(run, "the heron lands\n", "--tool", "read")
    assert run("cache", "search", "heron", "--tool", "sh").out.decode().split()[0] == first
    assert run("cache", "search", "heron", "--tool", "web").status == 1


def test_searching_does_not_count_as_reading_what_is_not_found(run: Run) -> None:
    ref = put(run, "the heron flies\n")
    path = Path(run("cache", "path", ref).out.decode().strip())
    before = path.stat().st_atime_ns
    run("cache", "search", "zebra")
    assert path.stat().st_atime_ns == before


def test_utf_16_is_searched_as_the_text_it_is(run: Run) -> None:
    ref = put(run, "quiet\nthe heron flies\n".encode("utf-16"))
    assert run("cache", "search", "heron").out.decode() == f"{ref}  46 bytes\n  2: the heron flies\n"


def test_a_query_without_a_word_is_misuse(run: Run) -> None:
    done = run("cache", "search", "=>")
    assert (done.status, done.out) == (2, b"")
    assert done.err == (
        "ctxkit: no word to search for: =>\n  hint: for punctuation use ctxkit cache get REF --grep RE\n"
    )


def test_where_nothing_is_stored_nothing_is_found_and_nothing_is_made(run: Run, home: dict[str, str]) -> None:
    assert run("cache", "search", "word").status == 1
    assert os.listdir(home["XDG_CACHE_HOME"]) == []


@pytest.mark.slow
def test_many_blobs_are_searched_with_few_descriptors(ctxkit: str, home: dict[str, str]) -> None:
    root = Path(home["XDG_CACHE_HOME"]) / "ctxkit"
    store = LocalStore(str(root), str(Path(home["XDG_DATA_HOME"]) / "ctxkit"), pytest.fail)
    for number in range(200):
        store_content(store, [b"heron %d\n" % number], Label())
    search = f"ulimit -n 64; {ctxkit} cache search heron --max-results 200"
    done = subprocess.run(["sh", "-c", search], env=home, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"heron") == 200
