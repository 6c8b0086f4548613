import hashlib
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.errors import AmbiguousRefError, NotStoredError
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.lines import BLOCK
from tests.engines.test_blob_files import DATA, REF, TWIN, kept


def test_content_with_the_short_ref_of_earlier_content_is_named_in_full(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    kept(tmp_path, b"later", TWIN)
    assert shelf.find(REF[:16]) == REF
    assert shorten_ref(shelf.find(REF[:16])) == REF[:16]
    assert shorten_ref(shelf.find(TWIN)) == TWIN
    with pytest.raises(AmbiguousRefError, match=f"matches 2 refs: .*{TWIN}"):
        shelf.find(REF[:12])
    assert {shorten_ref(ref) for ref, _ in shelf.list_refs()} == {REF[:16], TWIN}
    answer = subprocess.run(["sh", "-c", f"cat {shelf.make_glob(REF)}"], capture_output=True, check=True)
    assert answer.stdout == DATA
    assert Path(shelf.make_glob(shelf.find(TWIN))).read_bytes() == b"later"


def test_a_short_ref_never_comes_to_mean_later_content(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    kept(tmp_path, b"later", TWIN)
    shelf.remove(REF)
    with pytest.raises(NotStoredError):
        shelf.find(REF[:16])
    kept(tmp_path, b"later", TWIN)  # stored again, it stays what it is
    with pytest.raises(NotStoredError):
        shelf.find(REF[:16])
    assert shelf.remove(TWIN)
    assert list(shelf.list_refs()) == []


def test_a_ref_is_found_by_its_prefix(tmp_path: Path) -> None:
    shelf = kept(tmp_path, DATA)
    assert shelf.find(REF[:6]) == shelf.find(REF[:12]) == shelf.find(REF) == REF
    for absent in ("3f9a2d", "ffffff", REF + "0"):
        with pytest.raises(NotStoredError, match=f"nothing is stored under {absent}"):
            shelf.find(absent)


def test_a_prefix_of_several_refs_is_refused_with_all_of_them(tmp_path: Path) -> None:
    other = REF[:8] + "f" * 56
    shelf = kept(tmp_path, DATA)
    kept(tmp_path, b"b", other)
    with pytest.raises(AmbiguousRefError, match=f"{REF[:8]} matches 2 refs: {', '.join(sorted((REF, other)))}"):
        shelf.find(REF[:8])
    assert shelf.find(other[:9]) == other


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
