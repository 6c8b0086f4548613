"""Apply the limits of an agent host to a call."""

from ctxkit.core.gate.policy import GatePolicy
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings


def apply_host_limits(request: CliRequest, config: Settings, host: HostProfile) -> CliRequest:
    """Return the request with the window and the limit of a host, unless options, settings or a session give them."""
    if not request.session_name(config) and not request.known_window(config):
        request = request._replace(window=host.window)
    return request if request.limit is not None else request._replace(limit=host.output_limit)


def cap_briefing(policy: GatePolicy, host: HostProfile) -> GatePolicy:
    """Return the policy with maps that are at most as large as the host's limit."""
    cap = min(policy.budget.briefing_cap, host.map_limit)
    return policy._replace(budget=policy.budget._replace(briefing_cap=cap))
