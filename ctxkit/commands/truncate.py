"""ctxkit truncate."""

from typing import TYPE_CHECKING, Any, cast

import click

from ctxkit.app.services import engines, stores
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label, mask_title, shorten_ref
from ctxkit.core.truncation.truncate import (
    LEAST_BYTES,
    LEAST_TOKENS,
    MAX_BYTES,
    MAX_LINES,
    MOST_BYTES,
    TruncationLimits,
    count_lines,
)
from ctxkit.core.truncation.truncate_content import TruncationPolicy, TruncationResult, truncate_content
from ctxkit.edge import events, options, out, say, settings, source
from ctxkit.edge.command_group import Filter
from ctxkit.edge.option_types import SIZE, make_number_type, option
from ctxkit.edge.request import Call, CliRequest

if TYPE_CHECKING:
    from ctxkit.core.truncation.truncate import Mode


MEASURED = 1 << 20
"""Bytes of the stored content that are counted for an event; larger content is estimated from them."""


class CutOptions(NamedTuple):
    """Which lines are kept, and how many of them, of their bytes and of their tokens."""

    tail: bool
    head: bool
    middle: bool
    max_lines: int
    max_bytes: int | None
    max_tokens: int | None


@click.command("truncate", cls=Filter)
@options.file_argument
@option("--tail", is_flag=True, help="Keep the last lines. This is the default.")
@option("--head", is_flag=True, help="Keep the first lines.")
@option("--middle", is_flag=True, help="Omit the middle: keep the first and the last lines.")
@option(
    "--max-lines",
    type=options.positive_count,
    default=MAX_LINES,
    metavar="N",
    help=f"Pass at most N lines.  [default: {MAX_LINES}]",
)
@option("--max-bytes", type=SIZE, metavar="SIZE", help="Pass at most SIZE, such as 20KB.  [default: 50KB]")
@option(
    "--max-tokens", type=make_number_type(LEAST_TOKENS, options.MOST), metavar="N", help="Pass at most N tokens."
)
@options.add_truncate_options
@options.json_option
@options.collect_values(CutOptions, "cut")
def command(file: str, cut: CutOptions, request: CliRequest, as_json: bool) -> Exit:
    """Pass the last or first lines of content, and say what was left out.

    Content within 2,000 lines and 50 KB passes byte for byte. Longer content is stored.
    truncate then passes some of its lines, and one line that names the omitted lines and the
    command that reads them. If no line is short enough, it passes a part of a line.

    \b
    $ seq 9000 | ctxkit truncate --max-lines 5
    $ seq 9000 | ctxkit truncate --middle --max-tokens 200 --json
    """
    mode = _choose_mode(tail=cut.tail, head=cut.head, middle=cut.middle)
    config = settings.load_for_filter(strict=request.strict)
    call = Call(request, config)
    limits = _make_limits(cut, call)
    redaction = request.redaction(config)
    path = source.path_of(file)
    policy = _make_policy(limits, mode, path, call)
    result = truncate_content(
        redaction.apply(source.chunks(file)), policy, (lambda: stores.open_store(config)) if call.stores else None
    )
    if result.truncated:
        result = result._replace(content=(b"".join(result.content),))
    _write_result(result, as_json, redaction.facts)
    redaction.note()
    if result.truncated and call.events_file:
        facts = {"name": policy.label.name, **call.describe(), "mode": mode, **_make_facts(result)}
        tokens = _measure_change(result, call)
        events.record(call.events_file, "tool_output_truncated", {**facts, **tokens, **redaction.facts()})
    engines.tidy_store(config, result.ref)
    return Exit.DONE


def _choose_mode(**modes: bool) -> "Mode":
    """Return the requested mode, else ``tail``; raise UsageError if there are several."""
    names = [name for name, is_given in modes.items() if is_given]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(f'--{name}' for name in names)} cannot be combined")
    return cast("Mode", names[0]) if names else "tail"


def _make_limits(cut: CutOptions, call: Call) -> TruncationLimits:
    """Return the limits of the options; raise UsageError if the bytes are too few or too many."""
    size = MAX_BYTES if cut.max_bytes is None else cut.max_bytes
    if not LEAST_BYTES <= size <= MOST_BYTES:
        raise UsageError(f"--max-bytes: {size} bytes are not between {LEAST_BYTES} bytes and {MOST_BYTES >> 20} MB")
    limits = TruncationLimits(cut.max_lines, size)
    if cut.max_tokens is None:
        return limits
    return limits._replace(max_tokens=cut.max_tokens, count=_load_counter(call))


def _measure_change(result: TruncationResult, call: Call) -> dict[str, Any]:
    """Return the tokens of the stored content and of what passed, None if they cannot be counted."""
    count_options = engines.make_count_options(*call)
    entered = events.measure(result.content, lambda: count_options)
    original: dict[str, Any] = {"bytes": result.total_bytes, "lines": result.total_lines}
    original |= {"tokens": None, "method": None}
    if result.ref:
        read = stores.open_store(call.settings).open(result.ref).read
        counted = events.measure((read(0, MEASURED),), lambda: count_options)
        share = max(result.total_bytes / MEASURED, 1)
        original["tokens"] = counted["tokens"] and round(counted["tokens"] * share)
        original["method"] = counted["method"] if share == 1 else "estimate"
    tokens = {"before_tokens": original["tokens"], "after_tokens": entered["tokens"], "method": entered["method"]}
    return {**tokens, "original": original}


def _make_policy(limits: TruncationLimits, mode: "Mode", path: str, call: Call) -> TruncationPolicy:
    """Return how content with a path is truncated, and its label in the store."""
    name = mask_title(call.request.name or path)
    label = Label("" if name == "stdin" else name)
    hint = call.request.resolve_hint(call.settings, "ctxkit", path)
    return TruncationPolicy(limits, mode, hint, label, call.is_strict)


def _load_counter(call: Call) -> Any:
    """Return the function that counts tokens, at the high end of an estimate."""
    from ctxkit.core.tokens.token_count import upper_bound_tokenizer

    count_options = engines.make_count_options(*call)
    return upper_bound_tokenizer(count_options.count, count_options.vocabulary)


def _write_result(result: TruncationResult, as_json: bool, extra_facts: Any) -> None:
    """Write the content, and say on stderr what it does not say."""
    if result.warning:
        say.warn(result.warning)
    if as_json:
        data = b"".join(result.content)
        out.write_json({**_make_facts(result, data), **extra_facts(), **out.make_content_member(data)})
    else:
        out.write(result.content)
    if result.truncated and not result.truncated.is_named:
        read = f": ctxkit cache get {shorten_ref(result.ref)}" if result.ref else ", and nothing is stored"
        say.warn(f"{result.truncated.gap.describe()}{read}")


def _make_facts(result: TruncationResult, data: bytes | None = None) -> dict[str, Any]:
    """Return the documented members of the result, except its content; ``data`` is the content if it is in memory."""
    gap = result.gap
    total_bytes, total_lines = result.total_bytes, result.total_lines
    if total_bytes < 0 and data is not None:
        total_bytes, total_lines = len(data), data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    return {
        "truncated": gap is not None,
        "truncated_by": result.truncated_by,
        "total_bytes": total_bytes,
        "total_lines": total_lines,
        "shown": _describe_shown(result, total_bytes, total_lines),
        "omitted": {"unit": gap.unit, "start": gap.start, "end": gap.end, "total": gap.total} if gap else None,
        "recognized": result.earlier is not None,
        "ref": shorten_ref(result.ref) or None,
    }


def _describe_shown(result: TruncationResult, total_bytes: int, total_lines: int) -> dict[str, int]:
    """Return how much of the content is shown, without the line that names the gap."""
    if result.truncated is None:
        marker = result.earlier
        return {"bytes": total_bytes - (marker.size if marker else 0), "lines": total_lines - (1 if marker else 0)}
    parts = result.truncated.parts.first, result.truncated.parts.last
    return {"bytes": sum(map(len, parts)), "lines": sum(count_lines(part) for part in parts)}
