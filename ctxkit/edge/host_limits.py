"""Apply the limits of an agent host to a call."""

from ctxkit.core.gate.decision import GatePolicy
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings

CAPPED_WINDOW = 100_000
"""Tokens of the smallest window to which ``result_cap`` applies: half of a smaller one is hardly more."""


def apply_host_limits(request: CliRequest, config: Settings, host: HostProfile) -> CliRequest:
    """Return the request with the window and the limit of a host, unless options, settings or a session give them."""
    if not request.session_name(config) and not request.known_window(config):
        request = request._replace(window=host.window)
    if request.limit is not None:
        return request
    cap = _find_cap(request, config)
    return request._replace(limit=min(host.output_limit, cap) if cap else host.output_limit)


def cap_result(request: CliRequest, config: Settings) -> CliRequest:
    """Return the request with the setting ``result_cap`` as its limit, if it has none and the window is large."""
    cap = _find_cap(request, config) if request.limit is None else 0
    return request._replace(limit=cap) if cap else request


def _find_cap(request: CliRequest, config: Settings) -> int:
    """Return the maximum tokens of one output; 0 for none, or if the window is too small for the default to matter."""
    cap = int(config["result_cap"])
    return cap if request.known_window(config) >= CAPPED_WINDOW else 0


def cap_briefing(policy: GatePolicy, host: HostProfile) -> GatePolicy:
    """Return the policy with maps that are at most as large as the host's limit."""
    cap = min(policy.budget.briefing_cap, host.map_limit)
    return policy._replace(budget=policy.budget._replace(briefing_cap=cap))
