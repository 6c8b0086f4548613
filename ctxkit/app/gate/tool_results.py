"""Gate the result of a tool that an agent host ran itself."""

from collections.abc import Iterator

from ctxkit.app.services import engines
from ctxkit.app.services.engines import parse_script
from ctxkit.app.services.stores import data_dir
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.hosts.host import HookEvent
from ctxkit.core.hosts.profiles import PROFILES, HostProfile
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge import bypass
from ctxkit.edge.host_session import HOST, apply_host_limits, cap_briefing, record_map
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings


def gate_result_blocks(event: HookEvent, host: str, settings: Settings) -> list[JsonValue]:
    """Return the blocks of a result with maps or screens in place of text; all others stay.

    Without a store nothing changes, because nobody could read the content of a map.
    """
    if not settings["store"] or bypass.find_bypass(settings, (event.tool,), parse_script):
        return list(event.blocks)
    return list(_gate_each(event, PROFILES[host], settings))


def _gate_each(event: HookEvent, profile: HostProfile, settings: Settings) -> Iterator[JsonValue]:
    for block in event.blocks:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        if isinstance(block, dict) and isinstance(text, str):
            yield {**block, "text": _gate_text(text, event, profile, settings)}
        else:
            yield block


def _gate_text(text: str, event: HookEvent, profile: HostProfile, settings: Settings) -> str:
    """Return the text, or a map or the screen of it; masked if the settings say so."""
    request = apply_host_limits(CliRequest(name=event.file or event.tool), settings, profile).assume_window(settings)
    policy = cap_briefing(request.gate_policy(settings, event.tool), profile)._replace(screen=True)
    content = Redaction(on=settings["redact"]).apply([text.encode("utf-8", "surrogatepass")])
    gate_result = gate_content(iter(content), policy, engines.gate_services(settings))
    shown = b"".join(gate_result.content).decode("utf-8", "surrogatepass")
    if profile is PROFILES[HOST]:
        record_map(gate_result, profile, data_dir(settings), event.session)
    return shown if gate_result.result != "refused" else text
