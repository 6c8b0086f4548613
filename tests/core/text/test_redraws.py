import pytest

from ctxkit.core.text.redraws import MAX_SIZE, has_redraws


@pytest.mark.parametrize(
    "content",
    [
        b"10%\r20%\n",
        b"10%\r\x1b[K20%\n",
        b"wait |\b/\n",
        b"one\n\x1b[1Atwo\n",
        b"one\n\x1b[Ftwo\n",
        b"one\x1b[2K\x1b[1Gtwo\n",
        b"\x1b[2J\x1b[Hone\n",
        b"\x1bcone\n",
        b"\x1b[?1049hone\x1b[?1049l\n",
        b"caf\xe9 10%\r" + b"x" * 200 + b"\n",
        b"<string>:48: (WARNING/2) N\bNA\bA\n",
        b"[1/2] Building\r[2/2] Building\n",
    ],
)
def test_a_movement_of_the_cursor_is_a_redraw(content: bytes) -> None:
    assert has_redraws(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"one\ntwo\n",
        b"one\r\ntwo\r\n",
        b"one\r\r\ntwo\r\r\n",
        b"one\ntwo\r",
        b"\x1b[31mred\x1b[0m\n\x1b[01;31m\x1b[Kmatch\x1b[m\x1b[K\n",
        b"\x1b]8;;http://x\x07link\x1b]8;;\x07\n\x1b[?25l\x1b(B\n",
    ],
)
def test_colors_and_ends_of_lines_are_none(content: bytes) -> None:
    assert not has_redraws(content)


def test_carriage_returns_alone_end_lines() -> None:
    assert not has_redraws(b"name,size\rone,1\rtwo,2\r")


@pytest.mark.parametrize(
    "document", [b'<testcase name="with \r" time="0">\n', b'{"a": "\b"}\n', b'[{"a": "\r1"}]\n', b"<?xml?>\n\ra", b"<a>  <b>\r1\n"]
)
def test_documents_are_not_drawn(document: bytes) -> None:
    assert not has_redraws(document)


def test_binary_and_large_content_is_not_drawn() -> None:
    assert not has_redraws(bytes(range(256)) * 4 + b"\n\ra")
    assert not has_redraws(b"\0\n\ra\b" * 500)
    assert not has_redraws(b"10%\r20%\n" + b"x" * MAX_SIZE)


def test_one_nul_does_not_make_content_binary() -> None:
    assert has_redraws(b"10%\r20%\0\n")


def test_a_movement_with_endless_numbers_is_none() -> None:
    assert not has_redraws(b"\x1b[" + b"1;" * 100_000 + b"A\n")
