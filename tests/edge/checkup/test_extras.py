import pytest

from ctxkit.edge.checkup import extras


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/a/.local/share/pipx/venvs/ctxkit", "pipx install --force 'ctxkit[llama]'"),
        ("/home/a/.local/share/uv/tools/ctxkit", "uv tool install --force 'ctxkit[llama]'"),
        (r"C:\Users\a\pipx\venvs\ctxkit", "pipx install --force 'ctxkit[llama]'"),
        ("/srv/venv", "/srv/venv/bin/python -m pip install 'ctxkit[llama]'"),
    ],
)
def test_the_command_fits_how_ctxkit_was_installed(prefix: str, command: str) -> None:
    assert extras.install_command("llama", prefix, "/srv/venv/bin/python") == command


def test_every_extra_is_looked_at_and_what_is_missing_comes_with_a_command() -> None:
    found = {check.name: check for check in extras.checks()}
    assert list(found) == ["langs", "hf", "redis", "serve", "llama"]
    for name, check in found.items():
        assert check.state == "ok" or f"ctxkit[{name}]" in check.hint
