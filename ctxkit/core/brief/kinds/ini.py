"""Line-based settings: INI, .env, .properties and systemd units."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.data_nodes import DataNodes
from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.brief.data.input_lines import (
    GENERIC_SUFFIXES,
    head_lines,
    read_lines,
    report_bad_lines,
    report_repeated_names,
)
from ctxkit.core.brief.data.settings_reader import SettingsContent
from ctxkit.core.brief.data.settings_tree import read_env, read_ini
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.text.measure import pluralize

NAME = "ini"
TYPES: Sequence[str] = ("env", "properties", "systemd")
SECTIONED = (
    "ini",
    "cfg",
    "editorconfig",
    "gitconfig",
    "desktop",
    "inf",
    "reg",
    "npmrc",
    "gitmodules",
    "pylintrc",
    "conf",
)
UNITS = ("service", "socket", "timer", "mount", "target", "path", "slice", "container", "network", "netdev")
"""Suffixes of systemd unit files."""
PLAIN = ("properties", "env")
NAMES = (
    ".env",
    ".gitconfig",
    ".gitmodules",
    ".editorconfig",
    ".npmrc",
    ".pylintrc",
    ".flake8",
    ".coveragerc",
    "pip.conf",
)
SECTION = re.compile(r"^\[[^\[\]=]+\]\s*(?:[#;].*)?$")
SETTING = re.compile(r"^[ \t]*(?:export )?[\w.@*/\\$:-]+(?: [\w.-]+){0,3}[ \t]*=")
NAME_ALONE = re.compile(r"^(?:export )?[A-Za-z_][\w.]*=")


def sniff(document: InputDocument) -> float:
    """Return the confidence by the file name, or else by sections of settings or by lines of ``NAME=value`` only."""
    lines = list(_skip_comments(head_lines(document)[:400]))
    if not lines or "\0" in document.head:
        return 0.0
    name = document.name.rpartition("/")[2].lower()
    settings = sum(SETTING.match(line) is not None for line in lines)
    sections = sum(SECTION.match(line) is not None for line in lines)
    named = name in NAMES or name.startswith(".env.") or document.suffix in PLAIN
    if named or document.suffix in (*SECTIONED, *UNITS):
        return 0.95 if settings * 2 >= len(lines) or (sections and settings) else 0.3
    if document.suffix not in GENERIC_SUFFIXES:
        return 0.0
    if sections and SECTION.match(lines[0]):
        return 0.8 if settings >= 3 and (settings + sections) * 20 >= len(lines) * 18 else 0.0
    names = [match[0] for line in lines if (match := NAME_ALONE.match(line))]
    is_varied = len(set(names)) * 2 > len(names)  # records of a log repeat their names
    return 0.75 if len(names) >= 5 and len(names) * 20 >= len(lines) * 19 and is_varied else 0.0


def _skip_comments(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines that are not blank, not comments, and not continuations of the previous line."""
    before = ""
    for line in lines:
        if line.strip() and line.lstrip()[0] not in "#;!" and not before.endswith("\\"):
            yield line
        before = line.rstrip()


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the sections and settings with their lines, or None if too many lines are neither."""
    lines, notes = read_lines(document)
    settings = (read_env if _has_only_equals_signs(document, lines) else read_ini)(lines)
    if not settings.root.children or settings.bad_count * 4 > settings.pairs + settings.sections:
        return None
    summary = [*notes, *_summarize(document, settings)]
    return DataOutliner(DataNodes(), [settings.root], [settings.root.value]).build_outlines(
        NAME, summary, document.target
    )


def _has_only_equals_signs(document: InputDocument, lines: list[str]) -> bool:
    """Return whether only ``=`` ends a key: most lines have a ``=`` before any colon."""
    if document.suffix in UNITS:
        return True
    setting_lines = [line for line in lines[:400] if line.strip() and line.lstrip()[0] not in "#;!["]
    return sum("=" in line.partition(":")[0] for line in setting_lines) * 2 > len(setting_lines)


def _summarize(document: InputDocument, settings: SettingsContent) -> Iterator[Entry]:
    is_named = document.suffix not in GENERIC_SUFFIXES or document.name.rpartition("/")[2].lower() in NAMES
    yield from report_bad_lines(document, settings.bad_lines, settings.bad_count, "setting", is_named=is_named)
    sections = f"{pluralize(settings.sections, 'section')}, " if settings.sections else ""
    yield Entry(f"{sections}{pluralize(settings.pairs, 'setting')}")
    yield from report_repeated_names(settings.repeats)
