import hashlib
from pathlib import Path

import pytest

from ctxkit.core.text.lines import BLOCK
from tests.engines.test_blob_files import DATA, REF, kept


@pytest.mark.parametrize("harm", ["lost", "empty", "short", "odd", "long", "of another time", "of ctxkit 0.1.0", "zeros", "large"])
def test_a_lost_or_wrong_index_of_lines_is_made_anew(tmp_path: Path, harm: str) -> None:
    shelf = kept(tmp_path, DATA)
    index = Path(shelf.root, "marks", REF[:2], REF)
    good = index.read_bytes()
    harmed = {
        "empty": b"",
        "short": good[:-8],
        "odd": good[:-3],
        "long": good + bytes(8),
        "of another time": good[:-8] + bytes(8),
        "of ctxkit 0.1.0": good[:-16],
        "zeros": bytes(len(good)),
        "large": b"\xff" * len(good),
    }
    if harm == "lost":
        index.unlink()
    else:
        index.write_bytes(harmed[harm])
    held = shelf.open(REF)
    assert held.lines.total == 30_000
    assert held.lines.texts(20_001, 20_002) == ["line 20000", "line 20001"]
    assert index.read_bytes() == good


def test_small_content_needs_no_index(tmp_path: Path) -> None:
    shelf = kept(tmp_path, b"x" * BLOCK)
    assert not (tmp_path / "marks").exists()
    assert shelf.open(shelf.find(hashlib.sha256(b"x" * BLOCK).hexdigest())).lines.total == 1


def test_an_index_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "marks").write_text("in the way")
    shelf = kept(tmp_path, DATA)
    assert shelf.open(REF).lines.texts(30_000) == ["line 29999"]
