"""A baseline replaces a baseline, and no other file."""

import json
import os
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, MalformedInputError, MissingInputError
from ctxkit.edge.lint.baseline_file import read_baseline, write_baseline


def test_a_new_baseline_can_be_read_and_replaced(tmp_path: Path) -> None:
    path = str(tmp_path / "known.json")
    for _ in range(2):
        write_baseline(path, [])
        assert json.loads(Path(path).read_bytes()) == {"version": 1, "findings": []}
        assert read_baseline(path) == {}


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"print('mine')\n", b"[]", b"{}", b'{"findings": 3}', b"[" * 99_999, b"\xff"),
        *(b'{"findings": [{"code": "x"}]}', b'{"name": "a package", "findings": []}'),
    ],
)
def test_a_file_that_is_not_a_baseline_stays(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(content)
    with pytest.raises(MalformedInputError, match=r"mine\.json: is not a baseline"):
        write_baseline(str(file), [])
    assert (file.read_bytes(), os.listdir(tmp_path)) == (content, ["mine.json"])


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is repeated right before the replacement."""
    file = tmp_path / "known.json"
    monkeypatch.setattr("ctxkit.edge.lint.baseline_file.collect_beside", lambda _: file.write_text("mine"))
    with pytest.raises(MalformedInputError):
        write_baseline(str(file), [])
    assert (file.read_text(), os.listdir(tmp_path)) == ("mine", ["known.json"])


def test_a_baseline_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="none"):
        read_baseline(str(tmp_path / "none.json"))
    with pytest.raises(InputOutputError, match="no/known"):
        write_baseline(str(tmp_path / "no" / "known.json"), [])
