"""Search for answers in a response, a stream, a log, or an agent session."""

from collections.abc import Callable, Iterable, Iterator

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage import host_sessions, providers
from ctxkit.core.usage.answer import Answer, Stop, Usage

_MAX_MEMBERS = 3
"""Maximum number of members of an object that contains only an error."""


def read_failure(value: dict[str, JsonValue]) -> Answer | None:
    """Return the error in a value, None for any other value; its term is a code, a type or a status."""
    error = value.get("error")
    if isinstance(error, str) and error and len(value) <= _MAX_MEMBERS:
        return Answer("ollama", stop=Stop("error"), message=error)
    fields = error if isinstance(error, dict) else {}
    if get_text(value, "type") == "error" and not fields:
        fields = value
    message = get_text(fields, "message")
    if not message:
        return None
    code = fields.get("code")
    raw = code if isinstance(code, str) else get_text(fields, "type") or get_text(fields, "status") or str(code or "")
    return Answer(_guess_source(value, fields), stop=Stop("error", raw), message=message)


def _guess_source(value: dict[str, JsonValue], fields: dict[str, JsonValue]) -> str:
    if get_text(value, "type") == "error":
        return "responses" if fields is value or "sequence_number" in value else "anthropic"
    if "n_ctx" in fields:
        return "llama.cpp"
    if isinstance(fields.get("code"), int):
        return "gemini" if "status" in fields else "llama.cpp"
    return "openai"


_READERS: tuple[Callable[[dict[str, JsonValue]], Answer | None], ...] = (
    providers.read_openai,
    providers.read_responses,
    host_sessions.read_codex,
    host_sessions.read_pi,
    host_sessions.read_opencode,
    host_sessions.read_langchain,
    providers.read_bedrock,
    providers.read_anthropic,
    providers.read_gemini,
    providers.read_ollama,
    providers.read_llama,
    read_failure,
)
"""All providers, then errors: an answer may have an ``error`` member that reports no error."""
_HOLDERS = (
    *("response", "message", "payload", "body", "data", "result", "chunk", "extra"),
    *("model_response", "tool_call_metadata", "usage", "info", "kwargs"),
)
"""Members of logs and sessions that contain an answer."""
_LISTS = ("messages", "history", "loglines", "events", "responses", "entries", "trajectory")
_SUM_TYPES = ("result", "turn.completed")
"""Types of lines with the sum of several requests, as printed by ``claude -p`` and ``codex exec``."""
_MAX_DEPTH = 4
"""Maximum nesting of these members."""


def find_answers(values: Iterable[JsonValue]) -> list[Answer]:
    """Return the answers in JSON values in order, each merged from its pieces, and compactions by the host.

    The history that a forked session of Codex repeats is left out, and so are answers of other agents in the same
    session unless there are no others.
    """
    own = host_sessions.skip_copied_history(values)
    pieces = [piece for value in own for piece in _find_pieces(value, _MAX_DEPTH, side=False)]
    main = [piece for piece, side in pieces if not side]
    return _merge_pieces(main or [piece for piece, _ in pieces])


def _list_holders(value: dict[str, JsonValue]) -> list[JsonValue]:
    """Return the members of an object that may hold answers."""
    return [value[key] for key in (*_HOLDERS, *_LISTS) if isinstance(value.get(key), (dict, list))]


def _find_pieces(value: JsonValue, depth: int, *, side: bool) -> Iterator[tuple[Answer, bool]]:
    """Yield the pieces in a value, each with a flag that marks another agent's piece."""
    if isinstance(value, list):
        for item in value:
            yield from _find_pieces(item, depth, side=side)
    elif isinstance(value, dict) and value:
        answer = next((piece for read in _READERS if (piece := read(value))), None) or _read_bare_usage(value)
        side = side or value.get("isSidechain") is True
        if answer:
            yield answer, side
        elif depth and value.get("type") not in _SUM_TYPES:
            for item in _list_holders(value):
                yield from _find_pieces(item, depth - 1, side=side)


def _read_bare_usage(value: dict[str, JsonValue]) -> Answer | None:
    """Return the answer of a bare usage object, as logs or jq output contain it."""
    usage: Usage | None = None
    source = ""
    if "prompt_tokens" in value:
        source, usage = providers.OPENAI, providers.read_openai_usage(value)
    elif "promptTokenCount" in value or "prompt_token_count" in value:
        source, usage = providers.GEMINI, providers.read_gemini_usage(value)
    elif "input_tokens" in value and get_object(value, "input_tokens_details"):
        source, usage = providers.RESPONSES, providers.read_responses_usage(value)
    elif "input_tokens" in value:
        source, usage = providers.ANTHROPIC, providers.read_anthropic_usage(value)
    return Answer(source, usage, closed=True) if usage else None


def _merge_pieces(pieces: Iterable[Answer]) -> list[Answer]:
    """Return answers merged from pieces: by key, or without a key up to a closed piece."""
    merged: list[Answer] = []
    places: dict[str, int] = {}
    for piece in pieces:
        at = places.get(piece.key, -1) if piece.key else _find_open_answer(merged, piece)
        if at < 0:
            at = len(merged)
            merged.append(piece)
        else:
            merged[at] = merged[at].merge(piece)
        if merged[at].key:
            places[merged[at].key] = at
    return merged


def _find_open_answer(merged: list[Answer], piece: Answer) -> int:
    """Return the index of the answer that a piece without a key continues, -1 for none."""
    on = bool(merged) and not (merged[-1].closed or piece.compaction) and merged[-1].source == piece.source
    return len(merged) - 1 if on else -1


Parse = Callable[[bytes], JsonValue]
"""Function that returns the value of a JSON text in UTF-8; it raises ValueError."""
_FIELDS = (b"event:", b"id:", b"retry:", b":")
"""Beginnings of stream lines that are not data (WHATWG HTML, 9.2.6)."""
_DATA = b"data:"
_DONE = b"[DONE]"
_HINT = "usage is read from a response, a stream of one, or a session with receipts"
_BOM = b"\xef\xbb\xbf"


def read_values(data: bytes, parse: Parse, name: str) -> Iterator[JsonValue]:
    """Yield the JSON values in content: one document, or the values of its lines or events.

    HTTP headers before it are skipped. Raise MalformedInputError, with ``name`` and the 1-based line, for invalid JSON.
    """
    body, first = _skip_headers(data.removeprefix(_BOM))
    if not body.strip():
        raise MalformedInputError(f"{name}: it is empty", hint=_HINT)
    try:
        yield parse(body)
        return
    except ValueError as error:
        reason = str(getattr(error, "msg", error))
        where = first + getattr(error, "lineno", 1) - 1
    numbered_lines = list(_split_events(body, first) if _is_stream(body) else _split_lines(body, first))
    if sum(1 for _, line in numbered_lines if line.lstrip()[:1] in (b"{", b"[")) <= len(numbered_lines) // 2:
        raise MalformedInputError(f"{name}: line {where} is not JSON: {reason}", hint=_HINT)
    for number, line in numbered_lines:
        try:
            yield parse(line)
        except ValueError as error:
            if number > first and line.startswith(b"{") and body.endswith(line):  # cut off as the program was killed
                return
            reason = str(getattr(error, "msg", error))
            raise MalformedInputError(f"{name}: line {number} is not JSON: {reason}", hint=_HINT) from None


def _skip_headers(data: bytes) -> tuple[bytes, int]:
    """Return the content after HTTP headers, as written by curl -i, and the number of its first line."""
    at, first = 0, 1
    while data.startswith(b"HTTP/", at):
        ends = [(end, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (end := data.find(mark, at)) >= 0]
        if not ends:
            break
        end, length = min(ends)
        first += data.count(b"\n", at, end + length)
        at = end + length
    return data[at:], first


def _is_stream(body: bytes) -> bool:
    lines = [line for line in body.lstrip()[:4096].splitlines() if line.strip()]
    return bool(lines) and lines[0].startswith((_DATA, *_FIELDS)) and any(line.startswith(_DATA) for line in lines)


def _split_lines(body: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(body.split(b"\n"), first):
        if line.strip():
            yield number, line


def _split_events(body: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield the data of each event with the number of its first line; an event may have several data lines."""
    data_lines: list[bytes] = []
    began = first
    for number, line in enumerate([*body.splitlines(), b""], first):
        if line.startswith(_DATA):
            began = began if data_lines else number
            data_lines.append(line[len(_DATA) :].removeprefix(b" "))
        elif not line.startswith(_FIELDS) and data_lines:
            if (event := b"\n".join(data_lines)).strip() not in (b"", _DONE):
                yield began, event
            data_lines = []
