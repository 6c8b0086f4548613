import pytest

from ctxkit.core.hosts.opencode import HOST
from ctxkit.edge.host_setup import find_settings


def test_the_file_is_where_the_host_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/c")
    assert find_settings(HOST, "user") == "/c/opencode/plugins/ctxkit.js"


def test_the_file_names_the_hook() -> None:
    text = HOST.install("", "/d")
    assert 'const hook = "/d/hook"' in text
    assert HOST.make_rewrite({"command": "x"}) == {"command": "x"}
