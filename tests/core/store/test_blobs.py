import pytest

from ctxkit.core.errors import NotStoredError, UsageError
from ctxkit.core.store.blobs import resolve_ref


def test_one_ref_of_several_is_refused_with_longer_prefixes() -> None:
    assert resolve_ref("abcdef", ["abcdef0"]) == "abcdef0"
    with pytest.raises(NotStoredError, match="nothing is stored under abcdef"):
        resolve_ref("abcdef", [])
    with pytest.raises(UsageError, match="abcdef matches 2 refs: abcdef0123, abcdef1123"):
        resolve_ref("abcdef", ["abcdef11234", "abcdef01234"])
