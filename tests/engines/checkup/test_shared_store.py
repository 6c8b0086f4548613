"""A server that answers, one that refuses and one that is silent."""

import socket

import pytest

pytest.importorskip("redis")

from ctxkit.engines.checkup.shared_store import check_server
from tests.redis_servers import run_server


def test_a_server_that_refuses_or_says_nothing_is_a_problem() -> None:
    refused = check_server("redis://me:secret@127.0.0.1:1")
    assert (refused.state, refused.value.startswith("redis://127.0.0.1:1")) == ("bad", True)
    assert refused.hint.startswith("start the server, or change the setting store")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        silent = check_server(f"redis://127.0.0.1:{mute.getsockname()[1]}")
    assert silent.state == "bad"


@pytest.mark.slow
def test_a_server_that_answers_is_well_and_one_that_wants_a_password_is_not() -> None:
    with run_server() as server:
        assert check_server(server.url).state == "ok"
    with run_server("--requirepass", "secret") as server:
        check = check_server(f"redis://127.0.0.1:{server.port}")
        assert check.state == "bad"
        assert check.hint
