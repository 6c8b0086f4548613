from pathlib import Path
from typing import Any

import pytest

from ctxkit.app.brief.focused_lines import find_passages
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.stored_content import open_file_content


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_are_found_in_any_encoding(under: Any, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log"
    text = "".join(f"line {number}\n" for number in range(500))
    path.write_bytes(f"{text}heron\n".encode(encoding))
    content = open_file_content(str(path))
    request = CliRequest(tokenizer="bytes/3")
    lines = find_passages(content, "heron", 100, Call(request, under()))
    assert lines is not None
    assert b"\n501:heron\n" in lines
    assert find_passages(content, "nosuch", 100, Call(request, under())) == b""
    assert find_passages(content, "heron", 2, Call(request, under())) is None
