"""The limits of the agent hosts that call ctxkit."""

from typing import NamedTuple


class HostProfile(NamedTuple):
    """Limits in tokens: the window if no model is named, the most that one output may take, and the most of a map."""

    window: int
    output_limit: int
    map_limit: int


PROFILES = {
    # 2.1.330 keeps 30,000 characters of a command's output, about 7,500 tokens, and cuts off the rest.
    "claude-code": HostProfile(window=200_000, output_limit=7_500, map_limit=2_500),
    # 0.169.0 keeps about 10,000 characters of a command's output.
    "codex": HostProfile(window=200_000, output_limit=2_500, map_limit=2_500),
}
