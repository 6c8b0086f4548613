import re

import pytest

from ctxkit.edge.checkup import extras


def test_every_extra_is_looked_at_and_what_is_missing_comes_with_a_command() -> None:
    checks = {check.name: check for check in extras.checks()}
    assert list(checks) == ["langs", "hf", "redis", "redact", "serve", "mcp", "llama"]
    for check in checks.values():
        assert check.state == "ok" or re.search(r"install '\S+>=[\d.]+'", check.hint)
        assert "ctxkit-cli" not in check.hint


def test_a_missing_package_alone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda package: package != "redis")
    checks = {check.name: check for check in extras.checks()}
    assert [name for name, check in checks.items() if check.state == "absent"] == ["redis"]
    assert checks["redis"].value == f"{extras.PURPOSES['redis']}: lacks redis"
    assert checks["redis"].hint.endswith(" install 'redis>=5.2'")
