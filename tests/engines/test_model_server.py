"""What is no address is refused before anything is sent; tests/commands/test_models.py asks servers."""

import pytest

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.engines.model_server import fetch_models


@pytest.mark.parametrize("address", ["http://", "ftp://localhost/x", "localhost:8080", "http://[::1", "file:///etc/passwd"])
def test_only_an_address_of_a_server_is_asked(address: str) -> None:
    with pytest.raises(UsageError):
        fetch_models(address)


def test_a_closed_port_is_an_error_of_one_line() -> None:
    with pytest.raises(InputOutputError, match=r"^http://127\.0\.0\.1:1/v1/models: Connection refused$"):
        fetch_models("http://127.0.0.1:1")
