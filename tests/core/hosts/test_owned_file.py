import pytest

from ctxkit.core.hosts.host import ConflictError
from ctxkit.core.hosts.owned_file import MARK, find_no_rivals, install_file, remove_file


def test_only_a_file_of_ctxkit_is_replaced_and_removed() -> None:
    content = f"// {MARK}x\n/d/hook\n"
    assert install_file("", content) == install_file(f"// {MARK}x, older", content) == content
    with pytest.raises(ConflictError, match="is not a file of ctxkit"):
        install_file("theirs", content)
    assert remove_file(content, "/d/hook") is None
    assert remove_file(content, "/e/hook") == content
    assert remove_file("theirs /d/hook", "/d/hook") == "theirs /d/hook"
    assert find_no_rivals("rtk") == []
