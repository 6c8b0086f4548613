import pytest

from ctxkit.core.hosts.host import ConflictError
from ctxkit.core.hosts.owned_file import MARK, OwnedFile, find_no_rivals

FILE = OwnedFile(lambda directory: f"// {MARK}x\n{directory}/hook\n", lambda directory: f"{directory}/hook")


def test_only_a_file_of_ctxkit_is_replaced_and_removed() -> None:
    content = f"// {MARK}x\n/d/hook\n"
    assert FILE.install("", "/d") == FILE.install(f"// {MARK}x, older", "/d") == content
    with pytest.raises(ConflictError, match="is not a file of ctxkit"):
        FILE.install("theirs", "/d")
    assert FILE.remove(content, "/d") is None
    assert FILE.remove(content, "/e") == content
    assert FILE.remove("theirs /d/hook", "/d") == "theirs /d/hook"
    assert [FILE.is_installed(content, directory) for directory in ("/d", "/e")] == [True, False]
    assert find_no_rivals("rtk") == []
