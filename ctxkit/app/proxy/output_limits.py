"""Lower the limit of an answer to what the window leaves, where an API refuses a request for more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.app.services import engines
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.editing.json_patches import patch_text
from ctxkit.core.chat.model.json_fields import get_number, get_object
from ctxkit.core.text.positions import skip_blanks

if TYPE_CHECKING:
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.proxy.model_apis import ModelApi
    from ctxkit.core.text.json_value import JsonValue


def lower_output_limit(api: ModelApi, transcript: Transcript, left: int) -> bytes:
    """Return a request whose answer may take what is ``left`` of the window, if the client asks for more."""
    text = transcript.text
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    value = engines.parse_json(transcript.encode(text)) if api.output_limits else {}
    patches = [ValuePatch((member,), left) for member in find_high_limits(api, value, left)]
    return transcript.encode(text[:start] + patch_text(text, start, patches) if patches else text)


def find_high_limits(api: ModelApi, request: dict[str, JsonValue], left: int) -> list[str]:
    """Return the members of a request that ask for more than is ``left``, which must be above the limit of thinking."""
    least = get_number(get_object(request, "thinking"), "budget_tokens")
    return [member for member in api.output_limits if get_number(request, member) > left > least]
