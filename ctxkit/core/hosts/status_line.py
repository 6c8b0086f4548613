"""Make the status line of a host's session, and the part of a shell prompt for a session of ctxkit."""

from collections.abc import Iterable, Mapping

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

_CHARS_PER_TOKEN = 4
"""Characters of a token in the limits of hosts, which cut output by characters."""


class KeptTokens(NamedTuple):
    """What maps kept out of a session in tokens, and how many parts were read back."""

    tokens: int
    reads: int


_MAX_NAME = 60
"""Maximum characters of a model's name."""
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class WindowUsage(NamedTuple):
    """What a host reports of its window: the model, the window, the tokens of the last request, and its transcript.

    ``window`` is 0 if it is unknown, ``used`` is None: right after a compaction, no request says what is left.
    """

    model: str
    session: str
    window: int
    used: int | None
    transcript: str = ""


def read_usage(value: Mapping[str, JsonValue]) -> WindowUsage:
    """Return the usage in the object that Claude Code writes to its status line."""
    from ctxkit.core.hosts.host import read_text

    model, context = _read_object(value, "model"), _read_object(value, "context_window")
    usage = _read_object(context, "current_usage")
    is_unknown = not usage and _read_count(context, "total_input_tokens") > 0
    used = None if is_unknown else sum(_read_count(usage, name) for name in _INPUT)
    name = read_text(model, "display_name") or read_text(model, "id")
    window = _read_count(context, "context_window_size")
    transcript = read_text(value, "transcript_path")
    return WindowUsage(name[:_MAX_NAME], read_text(value, "session_id"), window, used, transcript)


def make_status_line(
    usage: WindowUsage, trigger: int, kept: KeptTokens | None, cheap_from: int | None = None
) -> str:
    """Return the line: model, used tokens and share of the window, what was kept out, and the distance to a compaction.

    From ``cheap_from`` used tokens on, a compaction is cheap, because the cache of the provider is cold anyway.
    Parts that the host does not report are absent. More tokens than the window prove that the host, which reports
    200,000 for some models with a million, does not know the window.
    """
    parts = [usage.model] if usage.model else []
    used, window = usage.used, usage.window
    if window:
        parts.append(_format_share(used, window))
    if kept is not None:
        reads = f", {kept.reads} read back" if kept.reads else ""
        parts.append(f"~{format_tokens(kept.tokens)} kept out{reads}")
    if window and used is not None and used <= window:
        parts.append(_advise_compaction(used, trigger, cheap_from))
    return " | ".join(parts)


def _format_share(used: int | None, window: int) -> str:
    """Return the used tokens of a window and their share, as far as they are known."""
    if used is None:
        return f"? of {format_tokens(window)}"
    share = f"{format_tokens(window)} ({used * 100 // window}%)" if used <= window else "?"
    return f"{format_tokens(used)} of {share}"


def _advise_compaction(used: int, trigger: int, cheap_from: int | None) -> str:
    """Return how far a compaction is, or that it is due or cheap now."""
    if used >= trigger:
        return "compact now"
    if cheap_from is not None and used >= cheap_from:
        return "compact is cheap now: cache cold"
    return f"compact in {format_tokens(trigger - used)}"


def make_prompt(used: int, effective: int, *, is_tight: bool) -> str:
    """Return the used tokens of a session for a shell prompt, with a mark if it should be compacted."""
    share = f" {used * 100 // effective}%" if effective else ""
    return f"{format_tokens(used)}/{format_tokens(effective)}{share}{'!' if is_tight else ''}"


def format_tokens(tokens: int) -> str:
    """Return a number of tokens in at most five characters, such as ``950``, ``4.9k``, ``167k`` and ``1.2M``.

    It is cut off, not rounded, so that a window is not full before it is.
    """
    if tokens < 0:
        return f"-{format_tokens(-tokens)}"
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            whole, tenths = divmod(tokens * 10 // size, 10)
            return f"{whole}.{tenths}{unit}" if whole < 10 and tenths else f"{whole:,}{unit}"
    return str(tokens)


def _read_object(value: Mapping[str, JsonValue], key: str) -> Mapping[str, JsonValue]:
    member = value.get(key)
    return member if isinstance(member, dict) else {}


def _read_count(value: Mapping[str, JsonValue], key: str) -> int:
    member = value.get(key)
    return member if isinstance(member, int) and not isinstance(member, bool) and 0 <= member < 1 << 53 else 0


def format_map_line(original: int, entered: int, limit: int) -> str:
    """Return the line for a map: the tokens that the host itself would have let in, less those of the map."""
    return f"map {min(original, limit) - entered}\n"


def format_read_line(size: int) -> str:
    """Return the line for a part of ``size`` bytes that was read back."""
    return f"read {-(-size // _CHARS_PER_TOKEN)}\n"


def sum_lines(lines: Iterable[str]) -> KeptTokens:
    """Return the sum of lines; those that are torn do not count."""
    tokens = reads = 0
    for line in lines:
        kind, _, number = line.rstrip("\n").partition(" ")
        if not line.endswith("\n") or not number.removeprefix("-").isdecimal():
            continue
        tokens += int(number) if kind == "map" else -int(number) if kind == "read" else 0
        reads += kind == "read"
    return KeptTokens(tokens, reads)
