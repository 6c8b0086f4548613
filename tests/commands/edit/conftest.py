"""A quick tokenizer and a file with a conversation, for the tests of all edits."""

from pathlib import Path

import pytest

from tests.commands.edit.talk import LINES


@pytest.fixture
def run(run):
    """Run ctxkit with a tokenizer that takes no time to load."""
    return lambda *args, env=None, **given: run(*args, env={"CTXKIT_TOKENIZER": "bytes/3", **(env or {})}, **given)


@pytest.fixture
def chat(tmp_path: Path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"".join(LINES))
    return path
