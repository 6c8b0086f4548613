"""Read the sections of a prompt: from files that options name, a manifest, or JSON lines."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ctxkit.core.errors import MalformedInputError, MissingInputError, SettingsError, UsageError
from ctxkit.core.prompt import PromptSection
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.edge import atomic_file, conversations, source
from ctxkit.edge.prompt_options import PromptFiles

MEMBERS = ("name", "content", "file", "cacheable")
MAX_FILE = 16 << 20
"""Bytes of a file that a manifest names."""
MAX_SECTIONS = 1_000
"""Sections of a prompt: each passes the gate by itself, which takes a millisecond."""


def read_sections(files: PromptFiles) -> list[PromptSection]:
    """Return the sections of all files, else those of stdin, one JSON object on a line."""
    sections = [PromptSection(name, _read_text(file)) for name, file in files.named_files]
    if files.manifest is not None:
        sections += read_manifest(files.manifest)
    elif not files.named_files:
        sections += parse_section_lines(conversations.read_bytes("-"), "stdin")
    return sections


def read_manifest(file: str) -> list[PromptSection]:
    """Return the sections of a manifest; raise MalformedInputError with the reason if it is invalid.

    The files that it names are relative to its directory, and must be below it.
    """
    data, title = conversations.read_bytes(file), source.name_of(file)
    values = _parse_json(data, title) if file.endswith(".json") else _parse_toml(data, title)
    items = values.get("section", values.get("sections")) if isinstance(values, dict) else values
    if not isinstance(items, list) or not items:
        raise MalformedInputError(
            f"{title}: it has no list of sections", hint="[[section]] in TOML, or a list in JSON, with name and file"
        )
    _check_number(len(items), title)
    root = os.path.dirname(os.path.realpath(file)) if file != "-" else os.getcwd()
    return [_make_section(item, f"{title}: section {number}", root) for number, item in enumerate(items, 1)]


def parse_section_lines(data: bytes, title: str) -> list[PromptSection]:
    """Return the sections of JSON lines; raise MalformedInputError with the number of an invalid line."""
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    _check_number(len(lines), title)
    return [
        _make_section(_parse_json(line, f"{title}: line {number:,}"), f"{title}: line {number:,}", None)
        for number, line in lines
    ]


def _check_number(sections: int, title: str) -> None:
    if sections > MAX_SECTIONS:
        raise MalformedInputError(f"{title}: it has more than {MAX_SECTIONS:,} sections", hint="join some of them")


def _make_section(item: object, place: str, root: str | None) -> PromptSection:
    """Return a section; without a ``root`` it must have content."""
    if not isinstance(item, Mapping):
        raise MalformedInputError(f"{place} is not an object")
    if unknown := sorted(set(item) - set(MEMBERS)):
        raise MalformedInputError(f"{place} has an unknown member: {unknown[0]}", hint=f"known: {', '.join(MEMBERS)}")
    name, cacheable = item.get("name"), item.get("cacheable")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise MalformedInputError(f"{place} has no name")
    if cacheable is not None and not isinstance(cacheable, bool):
        raise MalformedInputError(f"{place}: cacheable is not true or false")
    return PromptSection(name, "".join(_read_contents(item, place, root)), cacheable)


def _read_contents(item: Mapping[str, Any], place: str, root: str | None) -> Iterator[str]:
    content, file = item.get("content"), item.get("file")
    if (content is None) == (file is None) or (file is not None and root is None):
        members = "content" if root is None else "either content or file"
        raise MalformedInputError(f"{place} needs {members}")
    if content is not None:
        if not isinstance(content, str):
            raise MalformedInputError(f"{place}: content is not text")
        yield content.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return
    for name in file if isinstance(file, list) else [file]:
        if not isinstance(name, str):
            raise MalformedInputError(f"{place}: file is not a name or a list of names")
        assert root is not None
        yield _read_below(root, name, place)


def _read_below(root: str, name: str, place: str) -> str:
    """Return the text of a file below a directory, also through links."""
    try:
        with atomic_file.open_rooted_path(root, name) as rooted:
            data = atomic_file.read_content(rooted, MAX_FILE + 1)
    except atomic_file.OutsideRoot:
        raise UsageError(
            f"{place}: {name} is not a file below the directory of the manifest",
            hint="an option such as --rules names any file",
        ) from None
    except (OSError, ValueError) as error:
        raise MissingInputError(f"{place}: {name}: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_FILE:
        raise MalformedInputError(f"{place}: {name} is larger than {MAX_FILE >> 20} MB")
    return decode_content(data)


def _read_text(file: str) -> str:
    return decode_content(conversations.read_bytes(file))


def _parse_json(data: bytes, place: str) -> Any:
    try:
        return json.loads(decode_content(data))
    except (ValueError, RecursionError):
        raise MalformedInputError(f"{place} is not JSON") from None


def _parse_toml(data: bytes, title: str) -> Any:
    from ctxkit.edge import toml

    try:
        return toml.parse_document(title, data)
    except SettingsError as error:
        raise MalformedInputError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise MalformedInputError(f"{title}: {error}") from None
