"""The first lines of output: within their limits, complete, masked, and nothing twice."""

import time
from collections.abc import Callable, Iterator

import pytest

from ctxkit.core.store.label import Label
from ctxkit.edge import recorded_output
from ctxkit.edge.recorded_output import MAX_ALIKE, MAX_LINES, FirstLines, RecordedOutput, limit_tokens
from ctxkit.engines.local_store import LocalStore

LABEL = Label("make")


@pytest.fixture(autouse=True)
def begin_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_output, "AFTER", 0.0)


@pytest.fixture
def store(tmp_path) -> LocalStore:
    return LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), pytest.fail)


def list_unfinished(tmp_path) -> list[str]:
    return [path.name for path in (tmp_path / "cache" / "taking").iterdir()]


def test_the_entry_holds_what_came_and_is_continued(store: LocalStore, tmp_path) -> None:
    recorded = RecordedOutput(lambda: store, LABEL)
    chunks = recorded.watch([b"a", b"b", b"c"])
    assert next(chunks) + next(chunks) == b"ab"
    assert len(list_unfinished(tmp_path)) == 2
    writer = recorded.open_writer(store)
    writer.write(b"ab")
    assert list(writer.replay()) == [b"ab"]
    writer.write(next(chunks))
    ref = writer.commit(LABEL)
    recorded.close()
    assert store.open(ref).read(0, 9) == b"abc"
    assert list_unfinished(tmp_path) == []


def test_an_entry_that_nobody_continues_is_removed(store: LocalStore, tmp_path) -> None:
    recorded = RecordedOutput(lambda: store, LABEL)
    assert b"".join(recorded.watch([b"a"])) == b"a"
    recorded.close()
    assert list_unfinished(tmp_path) == []


def test_output_that_comes_before_the_time_is_not_stored(store: LocalStore, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_output, "AFTER", 60.0)
    recorded = RecordedOutput(lambda: store, LABEL)
    assert b"".join(recorded.watch([b"a"])) == b"a"
    assert not (tmp_path / "cache").exists()
    writer = recorded.open_writer(store)
    writer.write(b"a")
    assert store.open(writer.commit(LABEL)).read(0, 9) == b"a"
    recorded.close()


def test_an_entry_that_cannot_be_written_leaves_the_output_and_reports_the_error(store: LocalStore) -> None:
    def fail() -> LocalStore:
        raise OSError("no space")

    recorded = RecordedOutput(fail, LABEL)
    assert b"".join(recorded.watch([b"a", b"b"])) == b"ab"
    assert str(recorded.error) == "no space"
    recorded.close()


def test_bytes_that_could_not_be_written_are_an_error_of_the_continued_entry(store: LocalStore) -> None:
    recorded = RecordedOutput(lambda: store, LABEL)
    chunks = recorded.watch([b"a", b"b"])
    next(chunks)
    writer = recorded.open_writer(store)
    writer.write(b"a")
    recorded.error = OSError("no space")
    with pytest.raises(OSError, match="no space"):
        writer.write(next(chunks))
    assert b"".join(writer.replay()) == b"a"
    writer.abandon()


@pytest.fixture(autouse=True)
def begin_at_once_first_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_output, "AFTER", 0.0)


MANY = b"".join(f"{'a' * number}\n".encode() for number in range(1, 60))


def is_short(text: bytes) -> bool:
    return len(text) <= 1900


def show(chunks: list[bytes], mask: Callable[[bytes], bytes] | None = None) -> int:
    lines = FirstLines(is_short, mask)
    assert list(lines.watch(chunks)) == chunks
    return lines.count


@pytest.mark.parametrize(
    ("chunks", "printed"),
    [
        ([b"a\nb\n"], b"a\nb\n"),
        ([b"a", b"\nb", b"", b"c\nd"], b"a\nbc\n"),
        ([b"no newline"], b""),
        ([b"a\n\0\1\2\nb\n"], b"a\n"),
        ([b"10%\r20%\r99%\nb\n"], b"99%\nb\n"),
        ([b"x\n" * 100], b"x\n" * MAX_ALIKE),
        ([MANY], b"".join(MANY.splitlines(keepends=True)[:MAX_LINES])),
        ([b"step 1\nstep 2\nstep 30\n", b"step 4\n"], b"step 1\n"),
        ([b"step 1\nstep 2\n", b"step 3\nready\nstep 4\n"], b"step 1\nstep 2\nstep 3\nready\n"),
        ([b"x\n" * 60 + b"ready\n"], b"x\n" * MAX_ALIKE),
        ([b"x" * 70_000 + b"\n", b"a\n"], b""),
        ([b"a\n", b"x" * 3000 + b"\n", b"b\n"], b"a\n"),
        ([b"\xff\xfe\n"], b"\xff\xfe\n"),
    ],
)
def test_complete_lines_that_fit_are_printed(capfdbinary: pytest.CaptureFixture[bytes], chunks: list[bytes], printed: bytes) -> None:
    count = show(chunks)
    assert capfdbinary.readouterr().out == printed
    assert count == printed.count(b"\n")


def test_nothing_is_printed_before_the_time(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr(recorded_output, "AFTER", 60.0)
    assert show([b"a\n", b"x\n" * 99_999]) == 0
    assert capfdbinary.readouterr().out == b""


def test_what_is_not_kept_is_not_taken_for_the_next_line(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(recorded_output, "AFTER", 0.2)
    lines = FirstLines(is_short)

    def read() -> Iterator[bytes]:
        yield b"1\n" + b"step\r" * 20_000
        yield b"lost\n" * 9
        time.sleep(0.3)
        yield b"end\n"

    assert len(b"".join(lines.watch(read()))) > 100_000
    assert (capfdbinary.readouterr().out, lines.count) == (b"1\n", 1)


def test_lines_come_one_after_the_other(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = FirstLines(is_short)

    def read() -> Iterator[bytes]:
        for line in (b"a\n", b"b\n"):
            yield line
            yield b""
            assert capfdbinary.readouterr().out == line
        lines.close()
        yield b"c\n"

    assert b"".join(lines.watch(read())) == b"a\nb\nc\n"
    assert capfdbinary.readouterr().out == b""


def test_secrets_are_masked_and_what_changes_later_is_held(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def mask(data: bytes) -> bytes:
        """Mask a key, and all of it once its end is known."""
        return data.replace(b"key=abc", b"*" if b"end" in data else b"***")

    show([b"key=abc\nok\n"], mask=mask)
    assert capfdbinary.readouterr().out == b"***\nok\n"
    assert show([b"key=abc\n", b"end\n", b"more\n"], mask=mask) == 1
    assert capfdbinary.readouterr().out == b"***\n"
    wrapped = b"x" * 70 + b"\n"
    assert show([wrapped], mask=mask) == 0
    assert show([wrapped, b"next\n"], mask=mask) == 2


def test_an_error_holds_the_lines() -> None:
    def fail(_text: bytes) -> bool:
        raise ValueError

    lines = FirstLines(fail)
    assert list(lines.watch([b"a\n", b"b\n"])) == [b"a\n", b"b\n"]
    assert lines.count == 0


def test_a_quarter_of_the_target_is_the_limit() -> None:
    assert [limit_tokens(target) for target in (0, 400, 8_000)] == [0, 100, 1_000]
