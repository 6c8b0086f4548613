"""An edit reads, stores, writes, and says how to undo it."""

import json
from pathlib import Path

import pytest

from ctxkit.core.errors import Exit
from ctxkit.core.text.spans import PositionRange
from ctxkit.edge.editing import EditRequest, EditServices, apply_edit
from tests.core.edit.talk import CHAT, ORDER


@pytest.fixture
def chat(tmp_path: Path):
    path = tmp_path / "a chat.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in CHAT))
    return path


def edit(path, capfdbinary, held=None, **given):
    hold = (lambda file, refs: held.append((file, list(refs)))) if held is not None else pytest.fail
    status, ref = apply_edit(EditRequest(PositionRange(2, 5), str(path), **given), ORDER, EditServices(None, hold))
    written = capfdbinary.readouterr()
    return status, ref, written.out, written.err.decode()


def test_the_rest_goes_to_stdout_and_the_result_to_stderr(chat, capfdbinary) -> None:
    status, ref, out, err = edit(chat, capfdbinary)
    lines = chat.read_bytes().splitlines(keepends=True)
    assert (status, ref, out) == (Exit.DONE, "", b"".join((lines[0], *lines[5:])))
    assert err.endswith("nothing is stored, so it cannot be undone\n")


def test_in_place_the_file_changes_and_its_refs_are_held(chat, capfdbinary) -> None:
    held, before = [], chat.read_bytes()
    _, _, out, _ = edit(chat, capfdbinary, held, in_place=True)
    lines = before.splitlines(keepends=True)
    assert (out, chat.read_bytes()) == (b"", b"".join((lines[0], *lines[5:])))
    assert held == [(str(chat), [])]


def test_an_object_holds_the_content_unless_the_file_does(chat, capfdbinary) -> None:
    value = json.loads(edit(chat, capfdbinary, as_json=True)[2])
    assert (value["removed"], value["content"].count("\n")) == (4, 3)
    value = json.loads(edit(chat, capfdbinary, [], as_json=True, in_place=True)[2])
    assert "content" not in value
