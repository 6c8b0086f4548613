"""Check conversations, and restore them from a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.chat.reading.format_names import is_empty_conversation
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import conversations, out, say, source
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.compaction_report import encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.store.store_interface import Store


def check_conversation(compaction_options: CompactOptions) -> Exit:
    """Print the violations of a conversation, one per line; return 1 if there are any."""
    from ctxkit.core.chat.branches.active_path import find_active_path
    from ctxkit.core.chat.validity.invariants import find_breaches
    from ctxkit.core.chat.validity.request_limits import find_limit_breaches

    data = conversations.read_session(compaction_options.file)
    if is_empty_conversation(data):
        return Exit.DONE
    transcript = conversations.parse_conversation(
        data, compaction_options.file, compaction_options.format_name, skip_bad=compaction_options.skip_bad
    )
    warn_of_kept_entries(transcript, compaction_options)
    try:
        path = find_active_path(transcript, compaction_options.leaf)
    except KeyError:
        raise leaf_error(compaction_options.leaf) from None
    breaches = (*find_breaches(transcript, path), *find_limit_breaches(transcript, path))
    violations = sorted(breaches, key=lambda violation: violation.at)
    name = source.name_of(compaction_options.file)
    if compaction_options.as_json:
        out.write(encode_json({**violation._asdict(), "ids": list(violation.ids)}) for violation in violations)
    else:
        out.write_listing(
            "".join(
                f"{name}:{violation.line}: {violation.rule}: {escape_line(violation.message)}\n"
                for violation in violations
            )
        )
    return Exit.NO if violations else Exit.DONE


def restore_conversation(manifest: str, file: str, parse: Callable[[bytes], Any], store: Callable[[], Store]) -> Exit:
    """Write a conversation as it was before a compaction, using its manifest.

    Raise MalformedInputError if ``file`` is named, and is not what the compaction wrote.
    """
    from ctxkit.core.compact.manifest import is_content_of, is_output, read_original
    from ctxkit.core.compact.manifest import restore_original as restore_original
    from ctxkit.core.errors import MalformedInputError

    name = source.name_of(manifest)
    try:
        value = parse(conversations.read_bytes(manifest))
    except ValueError as error:
        raise MalformedInputError(
            f"{name}: it is not JSON: {error}", hint="compact --manifest FILE writes one"
        ) from None
    original = read_original(value, name)
    if file not in ("", "-"):
        data = conversations.read_bytes(file)
        if not is_output(value, data):
            raise MalformedInputError(
                f"{source.name_of(file)}: it is not what the compaction of {name} wrote",
                hint="without FILE, the original is written",
            )
        if is_content_of(original, data):
            out.write((data,))
            return Exit.DONE
    pieces = list(restore_original(original, store(), name))
    out.write(pieces)
    warn_of_unstored(pieces)
    return Exit.DONE


def warn_of_unstored(pieces: Iterable[bytes]) -> None:
    """Warn if restored content has placeholders for output that was not stored."""
    from ctxkit.core.compact.unstored import has_placeholder

    if any(map(has_placeholder, pieces)):
        say.warn("output of commands that never_store names was not stored: placeholders replace it")


def warn_of_kept_entries(transcript: Transcript, compaction_options: CompactOptions) -> None:
    """Warn of unreadable lines and unknown messages; raise UsageError for a branch in a format without branches."""
    if transcript.bad:
        many, stay = pluralize(len(transcript.bad), "line"), "stays" if len(transcript.bad) == 1 else "stay"
        say.warn(f"{many} cannot be read and {stay} unchanged, first line {transcript.bad[0]:,}")
    unknown = [record.line for record in transcript.records if record.is_unknown]
    if unknown:
        many = pluralize(len(unknown), "message")
        say.warn(f"{many} of a type that ctxkit does not know, kept unchanged, first line {unknown[0]:,}")
    if compaction_options.leaf and transcript.format.LINEAR:
        raise leaf_error(compaction_options.leaf)


def leaf_error(leaf: str) -> UsageError:
    """Return the error of --leaf with an unknown id."""
    return UsageError(
        f"--leaf: there is no entry {leaf}", hint="it takes the id of an entry, if the format has branches"
    )
