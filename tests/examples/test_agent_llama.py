"""The agent in a shell for fifty turns in 4,096 tokens, with a real llama.cpp server that takes every request."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.examples.completion import ANSWER, complete
from tests.examples.conftest import WINDOW
from tests.examples.test_agent import TURNS, make_fifty, run_agent, workspace  # noqa: F401
from tests.strict.refusal import Refused
from tests.strict.server import Strict


@dataclass
class Relay(Strict):
    """Send each request on to a real server, which may refuse it; calls come from the script, as random weights make none."""

    address: str = ""

    def measured(self, request: dict[str, Any], answer: int, check: Any) -> int:
        """Return the tokens that the real server counted; raises Refused with its words."""
        try:
            size = complete(self.address, request)["usage"]["prompt_tokens"]
        except AssertionError as error:
            raise Refused(str(error)) from None
        check(size, ANSWER, self.window)
        self.requests.append(request)
        self.sizes.append(size)
        return size


@pytest.mark.slow
def test_fifty_turns_fit_a_real_server(server, model, workspace: Path, ctxkit: str, home: dict[str, str], run: Run) -> None:  # noqa: F811
    relay = Relay(lambda _: ("", ()), window=WINDOW, address=server)
    relay.script = make_fifty(relay, "Next.")  # this server takes no call without words
    done = run_agent(relay, workspace, ctxkit, home | {"CTXKIT_TOKENIZER": str(model)}, "tiny", 1200)
    assert relay.refusals == []
    assert (done.returncode, done.stdout) == (0, b"All fifty are done.\n"), done.stderr.decode()
    assert len(relay.requests) == TURNS
    assert max(relay.sizes) + ANSWER <= WINDOW
    session = json.loads(run("session", "list", "--json").out.splitlines()[0])
    assert session["compactions"] >= 3
