"""A snapshot is loaded byte for byte."""

from pathlib import Path

from tests.conftest import Run


def test_what_was_saved_is_loaded_byte_for_byte(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    path.write_bytes(b'\xef\xbb\xbf[ {"role":"user",  "content":"caf\\u00e9 \xff"} ]\n\n')
    done = run("snapshot", "save", "s", path)
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert run("snapshot", "load", "s").out == path.read_bytes()
    assert run("snapshot", "resume", "s").out == path.read_bytes()
