"""Check that the server of the shared store answers."""

import errno
import os
from time import perf_counter

from ctxkit.core.checkup import Check
from ctxkit.core.store.address import parse_address
from ctxkit.engines.redis_errors import ServerError
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_store import RedisStore

TOPIC = "store"
NOWHERE = os.path.join(os.devnull, "lost")
"""A mark that cannot be written: a checkup changes nothing, and asks a server that was lost a moment ago."""
SOME_REF = "0" * 64
"""A ref that nobody stores."""
HINT = "start the server, or change the setting store; until then, content and sessions are kept on this machine only"


def check_server(url: str) -> Check:
    """Return whether the server at a URL answers in time."""
    server = RedisServer(parse_address(url), NOWHERE)
    start = perf_counter()
    try:
        RedisStore(server, lambda _message: None, 1).has_ref(SOME_REF)
    except ServerError as error:
        hint = error.hint if error.hint and error.errno != errno.ECONNREFUSED else HINT
        return Check(TOPIC, "shared store", f"{server.place}: {error.strerror}", "bad", hint)
    finally:
        server.close()
    return Check(TOPIC, "shared store", f"{server.place}: answers in {1000 * (perf_counter() - start):.0f} ms")
