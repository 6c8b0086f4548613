import pytest

from ctxkit.core.errors import AmbiguousRefError, NotStoredError
from ctxkit.core.store.blobs import resolve_ref


def test_one_ref_of_several_is_refused_with_all_of_them() -> None:
    assert resolve_ref("abcdef", ["abcdef0"]) == "abcdef0"
    with pytest.raises(NotStoredError, match="nothing is stored under abcdef"):
        resolve_ref("abcdef", [])
    with pytest.raises(AmbiguousRefError, match=r"abcdef matches 2 refs: abcdef01234, abcdef11234$"):
        resolve_ref("abcdef", ["abcdef11234", "abcdef01234"])
    with pytest.raises(AmbiguousRefError, match=r"abcdef matches 10 refs: .*abcdef7 and 2 more$") as raised:
        resolve_ref("abcdef", [f"abcdef{number}" for number in range(10)])
    assert raised.value.status == 1
