from pathlib import Path

import pytest

from ctxkit.core.store.label import Label
from ctxkit.core.text.lines import BLOCK
from ctxkit.engines import redis_blob_writer
from tests.engines.stores_under_test import RedisUnderTest
from tests.redis_servers import empty_server


@pytest.fixture
def shared(redis_server, tmp_path: Path) -> RedisUnderTest:
    empty_server(redis_server.url)
    return RedisUnderTest(redis_server.url, tmp_path)


def test_content_larger_than_the_memory_is_spooled_and_comes_back(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_blob_writer, "MEMORY", 1000)
    writer, chunks = shared.store.open_writer(), [b"%d\n" % number * 900 for number in range(100)]
    for chunk in chunks:
        writer.write(chunk)
    assert b"".join(writer.replay()) == b"".join(chunks)
    ref = writer.commit(Label())
    assert writer.size == len(b"".join(chunks))
    assert shared.read(ref) == b"".join(writer.replay()) == b"".join(chunks)


def test_an_upload_that_expired_is_an_error_and_the_bytes_are_still_there(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_blob_writer.RedisBlobWriter, "_send", lambda *_: None)
    writer = shared.store.open_writer()
    writer.write(b"x" * (BLOCK + 1))
    with pytest.raises(OSError, match="expired before it was complete"):
        writer.commit(Label())
    assert b"".join(writer.replay()) == b"x" * (BLOCK + 1)
    assert shared.refs() == set()
