"""The commands between others, in a real shell."""

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

Home = dict[str, str]
Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]

ENV = {"CTXKIT_WINDOW": "4096", "CTXKIT_TOKENIZER": "bytes/3"}
ROWS = "seq 9000 | sed 's/^/this is row /'"


@pytest.fixture
def shell(ctxkit: str, home: Home, tmp_path: Path) -> Shell:
    """Run a script in bash, where a pipeline fails when any part of it does."""
    env = {**home, **ENV, "PATH": f"{os.path.dirname(ctxkit)}:{home['PATH']}"}

    def ran(script: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        whole = f"set -o pipefail\n{script}"
        return subprocess.run(["bash", "-c", whole], capture_output=True, env=env, cwd=tmp_path, timeout=60, **more)

    return ran


def told(done: "subprocess.CompletedProcess[bytes]") -> tuple[int, str, str]:
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.slow
def test_the_producer_never_sees_a_closed_pipe(shell: Shell) -> None:
    for gate in (
        "ctxkit gate",
        "ctxkit gate --check",
        "ctxkit gate --window 10",
        "ctxkit gate --no-store",
        "ctxkit brief",
    ):
        done = shell(f"seq 300000 | {gate} > /dev/null 2>&1; echo ${{PIPESTATUS[0]}}")
        assert told(done) == (0, "0\n", ""), gate


@pytest.mark.slow
def test_a_reader_that_leaves_early_ends_the_gate_silently(shell: Shell) -> None:
    raw = shell("seq 200000 | ctxkit gate --window 9000000 | head -1; echo ${PIPESTATUS[*]}")
    assert (raw.stdout, raw.stderr) in ((b"1\n0 141 0\n", b""), (b"1\n141 141 0\n", b""), (b"1\n0 0 0\n", b""))
    mapped = shell(f"{ROWS} | ctxkit gate | head -1; echo ${{PIPESTATUS[1]}}")
    assert b"a map, not the content" in mapped.stdout.splitlines()[0]
    assert mapped.stdout.splitlines()[1] in (b"0", b"141")
    assert mapped.stderr == b""


@pytest.mark.slow
def test_a_reader_that_leaves_early_ends_cache_get_and_list_silently(shell: Shell) -> None:
    done = shell(
        "ref=$(seq 900000 | ctxkit cache put)\n"
        "ctxkit cache get $ref | head -1\n"
        "ctxkit cache get $ref -n | head -1\n"
        "ctxkit cache get $ref --grep 7 | head -1\n"
    )
    assert (done.stdout, done.stderr) == (b"1\n1:1\n7\n", b"")


@pytest.mark.slow
def test_gating_what_was_gated_changes_nothing(shell: Shell) -> None:
    done = shell(f"{ROWS} > rows; ctxkit gate < rows > once; ctxkit gate < once > twice; cmp once twice")
    assert told(done) == (0, "", "")
    chained = shell("ctxkit gate < rows | ctxkit gate | ctxkit gate | cmp - once")
    assert told(chained) == (0, "", "")


@pytest.mark.slow
def test_the_hint_of_a_map_runs_as_it_stands(shell: Shell) -> None:
    done = shell(
        f"{ROWS} > rows\n"
        "hint=$(ctxkit gate < rows | tail -1)\n"
        "command=${hint#To read a part: }\n"
        'range=$(grep -oE "[0-9]+:[0-9]+" <<< "$command" | tr : ,)\n'
        'bash -c "${command% (or: *}" > by_ctxkit || exit 1\n'
        'other=${command#* (or: }\nsh -c "${other%)}" > by_sed || exit 2\n'
        'sed -n "${range}p" rows | tee wanted | cmp - by_ctxkit && cmp by_sed wanted && test -s wanted\n'
    )
    assert told(done) == (0, "", "")


@pytest.mark.slow
def test_an_agent_drills_down_by_sed_on_the_plain_file(shell: Shell) -> None:
    done = shell(f'sed -n 46,48p "$(ctxkit cache path "$({ROWS} | ctxkit gate --json | jq -r .ref)")"')
    if b"jq: command not found" in done.stderr:
        pytest.skip("jq is not here")
    assert told(done) == (0, "this is row 46\nthis is row 47\nthis is row 48\n", "")


@pytest.mark.slow
def test_a_failed_build_in_a_pipeline_of_run_is_still_a_failure(shell: Shell) -> None:
    done = shell(f'ctxkit run -- bash -c "{ROWS}; exit 3" | tee map > /dev/null; echo ${{PIPESTATUS[0]}}; head -1 map')
    assert told(done) == (0, "3\nExit status 3\n", "")
    assert shell("ctxkit run -- false || echo no").stdout == b"no\n"
    assert shell("ctxkit run -- true && echo yes").stdout == b"yes\n"


@pytest.mark.slow
def test_a_patch_and_a_table_come_through_a_pipe_as_they_were(shell: Shell, tmp_path: Path) -> None:
    patch = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9 \r\n+caf\xc3\xa9\t\n\\ No newline at end of file\n"
    table = b'id;name\r\n1;"a\r\nb"\r\n\xff;\x00\r\n'
    for content in (patch, table):
        (tmp_path / "content").write_bytes(content)
        assert (
            shell("cat content | ctxkit gate | cmp - content; ctxkit run -- cat content | cmp - content").stdout == b""
        )


def test_json_comes_through_as_it_was_written(shell: Shell, tmp_path: Path) -> None:
    written = b'{"n": 123456789012345678901234567890, "f": 1.10, "n": NaN,\n\t"s": "\\ud800 \xed\xa0\x80"}'
    (tmp_path / "content").write_bytes(written)
    assert told(shell("ctxkit gate < content | cmp - content")) == (0, "", "")


@pytest.mark.slow
def test_a_full_disk_behind_stdout_is_said(shell: Shell) -> None:
    for command in ("seq 9 | ctxkit gate", f"{ROWS} | ctxkit gate", "seq 9 | ctxkit brief", "seq 9 | ctxkit cache put"):
        done = shell(f"{command} > /dev/full")
        assert (done.returncode, done.stderr) == (74, b"ctxkit: No space left on device\n"), command


@pytest.mark.slow
def test_a_closed_stdout_is_said_in_plain_words(shell: Shell) -> None:
    for command in ("seq 9 | ctxkit gate", f"{ROWS} | ctxkit gate", "ctxkit cache stat"):
        done = shell(f"{command} >&-")
        assert done.returncode == 74, command
        assert done.stderr.startswith(b"ctxkit: "), command
        assert b"internal error" not in done.stderr
        assert done.stderr.count(b"\n") == 1


def test_a_check_needs_no_stdout(shell: Shell) -> None:
    assert told(shell("seq 9 | ctxkit gate --check >&-")) == (0, "", "")
    assert told(shell(f"{ROWS} | ctxkit gate --check >&-")) == (1, "", "")


@pytest.mark.slow
def test_a_closed_stderr_changes_no_status(shell: Shell) -> None:
    assert told(shell("seq 3 | ctxkit gate 2>&-")) == (0, "1\n2\n3\n", "")
    assert told(shell(f"{ROWS} | ctxkit gate --window 10 2>&-")) == (1, "", "")
    assert told(shell("ctxkit gate nowhere 2>&-")) == (66, "", "")
    assert told(shell("ctxkit nonsense 2>&-")) == (2, "", "")


def test_a_warning_never_lands_in_the_data_when_stderr_is_closed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = shell(f"{ROWS} > rows; XDG_CACHE_HOME=$PWD/file/x TMPDIR=$PWD/file ctxkit gate rows 2>&- | cmp - rows")
    assert told(done) == (0, "", "")
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.slow
def test_a_full_disk_behind_stderr_changes_nothing(shell: Shell) -> None:
    assert told(shell(f"{ROWS} | ctxkit gate --window 10 2> /dev/full")) == (1, "", "")


def test_all_three_closed_is_no_traceback(shell: Shell) -> None:
    assert shell("ctxkit gate <&- >&- 2>&-").returncode in (66, 74)
    assert shell("ctxkit cache list <&- >&- 2>&-").returncode in (0, 74)


@pytest.mark.slow
def test_a_file_may_be_a_pipe(shell: Shell) -> None:
    assert told(shell("ctxkit gate <(seq 3)")) == (0, "1\n2\n3\n", "")
    assert told(shell("seq 3 | ctxkit gate /dev/stdin")) == (0, "1\n2\n3\n", "")
    assert told(shell("ctxkit cache get $(ctxkit cache put <(seq 3))")) == (0, "1\n2\n3\n", "")


def test_a_slow_producer_is_waited_for(shell: Shell) -> None:
    assert told(shell("(echo a; sleep 0.4; echo b) | ctxkit gate")) == (0, "a\nb\n", "")


@pytest.mark.slow
def test_xargs_maps_many_files_at_once(shell: Shell) -> None:
    done = shell(
        "for n in 1 2 3 4; do seq $n 3000 > part$n; done\n"
        "ls part* | xargs -P 4 -I {} sh -c 'ctxkit gate {} > {}.map'\n"
        "ctxkit cache stat --json; ctxkit cache verify; head -qn1 *.map | cut -c1-7\n"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    stat, *heads = done.stdout.decode().splitlines()
    assert json.loads(stat)["blobs"] == 4
    assert heads == [f"# part{n}" for n in range(1, 5)]


@pytest.mark.slow
def test_reading_through_the_cache_is_lossless_in_parts(shell: Shell) -> None:
    done = shell(
        "head -c 300000 /dev/urandom > random; ref=$(ctxkit cache put random)\n"
        "(ctxkit cache get $ref --bytes :100000; ctxkit cache get $ref --bytes 100001:) | cmp - random\n"
        "(ctxkit cache get $ref --lines :50; ctxkit cache get $ref --lines 51:) | cmp - random\n"
        "ctxkit cache get $ref | cmp - random\n"
    )
    assert told(done) == (0, "", "")


def test_the_ref_is_what_sha256sum_says(shell: Shell) -> None:
    done = shell("printf 'a\\0b' | tee x | ctxkit cache put; sha256sum < x | cut -c1-16")
    wanted = hashlib.sha256(b"a\0b").hexdigest()[:16]
    assert told(done) == (0, f"{wanted}\n{wanted}\n", "")


def test_a_gate_inside_a_loop_keeps_the_loops_stdin(shell: Shell) -> None:
    done = shell("printf '1\\n2\\n' | while read n; do ctxkit run -- echo $n < /dev/null; done")
    assert told(done) == (0, "1\n2\n", "")


@pytest.mark.slow
def test_removing_while_another_reads_gives_it_all_of_it(shell: Shell) -> None:
    done = shell(
        "ref=$(seq 900000 | ctxkit cache put); (ctxkit cache get $ref | (read first; sleep 1; tail -1)) &\n"
        "sleep 0.7; ctxkit cache rm $ref; wait"
    )
    assert told(done) == (0, "900000\n", "")


@pytest.mark.slow
def test_an_index_locked_for_long_costs_only_the_label(run: Run, home: Home) -> None:
    import sqlite3

    run("cache", "put", stdin="1\n")
    (index,) = Path(home["XDG_DATA_HOME"]).rglob("ctxkit.db")
    holder = sqlite3.connect(index, isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
        rows = "this is a row\n" * 9000
        done = run("gate", env=ENV, stdin=rows, limits={"ctxkit.engines.database.WAIT": 0.3})
    finally:
        holder.close()
    assert done.status == 0
    assert done.out.splitlines()[-1].startswith(b"To read a part: ctxkit cache get ")
    assert done.err.startswith("ctxkit: warning: stored, but the index could not be written: ")
    assert done.err.count("\n") == 1


def test_a_directory_that_is_gone_is_no_reason_to_fail(shell: Shell) -> None:
    done = shell("mkdir gone; cd gone; rmdir ../gone; seq 3 | ctxkit gate")
    assert told(done) == (0, "1\n2\n3\n", "")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("ctxkit gat", "ctxkit: no such command: gat; did you mean gate?\n  hint: ctxkit --help\n"),
        ("ctxkit cache gett", "ctxkit: no such command: gett; did you mean get?\n  hint: ctxkit cache --help\n"),
    ],
)
def test_what_is_not_a_command_is_answered_in_two_lines(shell: Shell, command: str, message: str) -> None:
    assert told(shell(command)) == (2, "", message)


@pytest.mark.parametrize("command", ["", "gate", "run", "cache", "cache get"])
def test_help_is_data_and_fits_a_hundred_columns(shell: Shell, command: str) -> None:
    done = shell(f"ctxkit {command} --help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(f"Usage: ctxkit {command}".strip().encode())
    assert max(map(len, done.stdout.decode().splitlines())) <= 100
