import bz2
import gzip
import lzma

import pytest

from ctxkit.core.brief import archive_sources
from ctxkit.core.brief.archive_sources import OutOfBudget, open_source

DATA = bytes(range(256)) * 1000
COMPRESS = {"tar": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def reader(data):
    return lambda at, size: data[at : at + size]


@pytest.mark.parametrize("archive_type", list(COMPRESS))
def test_bytes_are_read_and_skipped_in_order(archive_type):
    data = COMPRESS[archive_type](DATA)
    source = open_source(archive_type, reader(data), len(data))
    assert source.read(10) == DATA[:10]
    source.skip(100_000)
    assert source.read(300) == DATA[100_010:100_310]
    source.skip(10**6)
    assert source.read(1) == b""


@pytest.mark.parametrize("archive_type", ["gz", "bz2", "xz"])
def test_decompression_ends_with_the_budget(archive_type, monkeypatch):
    monkeypatch.setattr(archive_sources, "UNPACKED", 100_000)
    data = COMPRESS[archive_type](DATA)
    source = open_source(archive_type, reader(data), len(data))
    with pytest.raises(OutOfBudget):
        source.skip(len(DATA))
