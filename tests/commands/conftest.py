"""What the tests of ``ctxkit proxy`` share: a user, and a model server that keeps what it was sent."""

from collections.abc import Iterator

import pytest

from tests.proxies import ModelServer, run_model
from tests.servers import make_user


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a user with a home of its own."""
    return make_user(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """Yield a model server."""
    with run_model() as running:
        yield running


@pytest.fixture
def sent(model: ModelServer) -> ModelServer:
    """Return the model server, which has got no request and answers as usual."""
    model.requests.clear()
    model.answer = None
    return model
