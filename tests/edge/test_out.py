import base64
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import InputOutputError
from ctxkit.edge import out


def test_bytes_are_written_as_they_are_and_counted(capfdbinary) -> None:
    assert out.write([b"a\r\n", b"", b"\xff\x00"]) == 5
    assert capfdbinary.readouterr().out == b"a\r\n\xff\x00"


def test_nothing_is_nothing(capfdbinary) -> None:
    assert out.write([]) == 0
    assert capfdbinary.readouterr().out == b""


def test_text_is_utf8_whatever_it_holds(capfdbinary) -> None:
    out.write_text("漢 \udcff\n")
    assert capfdbinary.readouterr().out == "漢 ?\n".encode()


def test_a_listing_holds_no_control_character_but_tabs_and_newlines(capfdbinary) -> None:
    out.write_listing("a\x1b[31m\tb\x9b\u202e\r\n\udcff\n")
    assert capfdbinary.readouterr().out == rb"a\x1b[31m" + b"\t" + rb"b\x9b\u202e\r" + b"\n" + rb"\xff" + b"\n"


def test_json_is_one_line(capfdbinary) -> None:
    out.write_json({"content": "a\nb", "tokens": None})
    assert capfdbinary.readouterr().out == b'{"content":"a\\nb","tokens":null}\n'


def test_a_process_without_stdout_fails_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputOutputError, match="stdout is closed"):
        out.write([b"x"])


def test_an_unbuffered_stdout_that_takes_a_part_at_a_time_gets_everything() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    script = "from ctxkit.edge import out; out.write([bytes(range(256)) * 2000] * 2)"
    with subprocess.Popen([sys.executable, "-u", "-c", script], stdout=writer) as process:
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            assert file.read() == bytes(range(256)) * 4000
    assert process.returncode == 0


def test_content_is_text_where_it_is_utf8_else_base64() -> None:
    assert out.make_content_member("naïve\n".encode()) == {"content": "naïve\n"}
    assert out.make_content_member(b"\xff\xfe") == {"content_base64": "//4="}
    assert out.make_content_member(b"") == {"content": ""}


@given(st.binary() | st.text().map(str.encode))
def test_content_can_be_had_back_from_json(data) -> None:
    (found,) = json.loads(json.dumps(out.make_content_member(data))).items()
    name, text = found
    assert (text.encode() if name == "content" else base64.b64decode(text)) == data
