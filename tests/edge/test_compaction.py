import pytest

from ctxkit.core.errors import CtxkitError, Exit
from ctxkit.core.text.limits import EDITABLE
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.text.worker_interface import WorkerDiedError
from ctxkit.edge import compaction
from ctxkit.edge.compact_options import CompactOptions


def test_a_conversation_whose_worker_died_passes_unless_strict(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    error = WorkerDiedError("it died")
    assert compaction.pass_unchanged((b"[]",), error, strict=False) is Exit.DONE
    out, err = capfdbinary.readouterr()
    assert out == b"[]"
    assert b"passes unchanged: it died" in err
    with pytest.raises(WorkerDiedError, match="is not compacted: it died"):
        compaction.pass_unchanged((b"[]",), error, strict=True)


def test_an_oversized_conversation_passes_unless_strict(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert compaction.fits_in_memory(PeekableStream(iter([b"[", b"]"])), b"[]")
    assert compaction.pass_oversized((b"[", b"]"), EDITABLE + 1, CompactOptions(), strict=False) is Exit.DONE
    out, err = capfdbinary.readouterr()
    assert out == b"[]"
    assert b"larger than" in err
    with pytest.raises(CtxkitError):
        compaction.pass_oversized((b"[]",), EDITABLE + 1, CompactOptions(), strict=True)
