import pytest

from ctxkit.core.store.label import Label
from ctxkit.edge import recorded_output
from ctxkit.edge.recorded_output import RecordedOutput
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
