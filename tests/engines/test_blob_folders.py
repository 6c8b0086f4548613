import subprocess
from pathlib import Path

import pytest

from ctxkit.core.errors import AmbiguousRefError, NotStoredError
from ctxkit.core.store.label import shorten_ref
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
