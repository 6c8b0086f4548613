import pytest

from ctxkit.core.hosts.pi import HOST
from ctxkit.edge.host_setup import find_settings


def test_the_file_is_where_the_host_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", "/c")
    assert find_settings(HOST, "user") == "/c/extensions/ctxkit.js"


def test_the_file_names_the_hook() -> None:
    text = HOST.install("", "/d")
    assert 'const hook = "/d/hook"' in text
    assert HOST.make_rewrite({"command": "x"}) == {"command": "x"}
