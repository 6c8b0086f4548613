"""Prompts: the options and files of their sections, how they are shown, and what differs between two."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ctxkit.core.budget.context_budget import NoteKind
from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.errors import MalformedInputError, MissingInputError, SettingsError, UsageError
from ctxkit.core.gate.decision import GateResult
from ctxkit.core.prompt import (
    CacheBreakpoint,
    GatedSection,
    Prompt,
    PromptDifference,
    PromptSection,
    VolatileText,
    choose_breakpoints,
    find_cache_minimum,
    make_anthropic_members,
    make_openai_members,
)
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary
from ctxkit.edge import atomic_file, conversations, say, source
from ctxkit.edge.option_types import option, renamed_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.edge.options import Command

_SECTIONS = {
    "base": "Base instructions, which never change.",
    "rules": "Rules of the project, such as AGENT.md.",
    "memories": "Memories across sessions.",
    "context": "CONTEXT.md of a compaction.",
    "skills": "Prompts of active skills.",
    "scratchpad": "Notes of the current turn.",
    "status": "Status of the context, such as a note of ctxkit budget.",
}
_TURN_SECTIONS = _SECTIONS | {
    "base": "Base instructions of the system prompt.",
    "scratchpad": "Notes of the current turn; they go to the end of the request.",
    "status": "Other text that changes every turn; it goes to the end of the request.",
}


class PromptFiles(NamedTuple):
    """The files of a prompt's sections, as named by options; ``manifest`` names other sections."""

    base: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    scratchpad: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    manifest: str | None = None

    @property
    def named_files(self) -> list[tuple[str, str]]:
        """Return the name of the section and the file for each file of an option."""
        return [(name, file) for name, files in zip(self._fields[:-1], self[:-1], strict=True) for file in files]


Provider = Literal["openai", "anthropic", "gemini", "responses"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "gemini", "responses")
TurnNote = NoteKind | Literal["none"]
NOTES: tuple[TurnNote, ...] = ("short", "full", "none")


class TurnOptions(NamedTuple):
    """The files of the prompt and of the tools, the API, and how the request is kept within the window."""

    prompt_files: PromptFiles = PromptFiles()
    tools: tuple[str, ...] = ()
    provider: Provider | None = None
    prune: float | None = None
    note: TurnNote = "short"
    pins: tuple[str, ...] = ()
    summarizer: str | None = None
    exit_statuses: tuple[tuple[str, int], ...] = ()

    @property
    def file_names(self) -> list[str]:
        """Return the names of all files."""
        return [*(file for _, file in self.prompt_files.named_files), *self.tools]


_MEMBERS = ("name", "content", "file", "cacheable")
_MAX_FILE = 16 << 20
"""Bytes of a file that a manifest names."""
_MAX_SECTIONS = 1_000
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
    if sections > _MAX_SECTIONS:
        raise MalformedInputError(f"{title}: it has more than {_MAX_SECTIONS:,} sections", hint="join some of them")


def _make_section(item: object, place: str, root: str | None) -> PromptSection:
    """Return a section; without a ``root`` it must have content."""
    if not isinstance(item, Mapping):
        raise MalformedInputError(f"{place} is not an object")
    if unknown := sorted(set(item) - set(_MEMBERS)):
        raise MalformedInputError(f"{place} has an unknown member: {unknown[0]}", hint=f"known: {', '.join(_MEMBERS)}")
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
            data = atomic_file.read_content(rooted, _MAX_FILE + 1)
    except atomic_file.OutsideRoot:
        raise UsageError(
            f"{place}: {name} is not a file below the directory of the manifest",
            hint="an option such as --rules names any file",
        ) from None
    except (OSError, ValueError) as error:
        raise MissingInputError(f"{place}: {name}: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MAX_FILE:
        raise MalformedInputError(f"{place}: {name} is larger than {_MAX_FILE >> 20} MB")
    return decode_content(data)


def _read_text(file: str) -> str:
    return decode_content(conversations.read_bytes(file))


def _parse_json(data: bytes, place: str) -> Any:
    import json

    try:
        return json.loads(decode_content(data))
    except (ValueError, RecursionError):
        raise MalformedInputError(f"{place} is not JSON") from None


def _parse_toml(data: bytes, title: str) -> Any:
    from ctxkit.edge import settings_file

    try:
        return settings_file.parse_document(title, data)
    except SettingsError as error:
        raise MalformedInputError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise MalformedInputError(f"{title}: {error}") from None


def add_section_options(command: Command) -> Command:
    """Add the options that name the files of sections, and the manifest."""
    manifest = renamed_option(
        "--sections",
        "manifest",
        metavar="FILE",
        renamed_from=("--manifest",),
        help="Read sections from FILE, which is TOML or JSON.",
    )
    command = manifest(command)
    for name, text in reversed(_SECTIONS.items()):
        command = _add_section_option(f"--{name}", name, text)(command)
    return command


def add_turn_section_options(command: Command) -> Command:
    """Add the options that name the files of sections of a turn; --system names its base instructions."""
    for name, text in reversed(_TURN_SECTIONS.items()):
        command = _add_section_option("--system" if name == "base" else f"--{name}", name, text)(command)
    return command


def _add_section_option(flag: str, name: str, text: str) -> Callable[[Command], Command]:
    """Return the option for a section; --status is the exit status of a command, as in ctxkit gate."""
    if name != "status":
        return add_file_option(flag, name, text)
    return renamed_option("--status-file", name, multiple=True, metavar="F", renamed_from=(flag,), help=text)


def add_file_option(flag: str, name: str, text: str) -> Callable[[Command], Command]:
    """Return an option that names files, and may be repeated."""
    return option(flag, name, multiple=True, metavar="F", help=text)


Target = Literal["text", "anthropic", "openai"]
TARGETS: tuple[Target, ...] = ("text", "anthropic", "openai")
_SNIPPET = 60
"""Characters shown of each prompt from the first difference on."""


class PromptText(NamedTuple):
    """The text of a prompt, and its breakpoints in characters; None if it was not built with any."""

    text: str
    breakpoints: tuple[int, ...] | None = None


def read_prompt(file: str) -> PromptText:
    """Return a prompt from a text, or from what ``prompt build --json`` printed."""
    import json

    text = decode_content(conversations.read_bytes(file))
    if not text.startswith('{"prompt":'):
        return PromptText(text)
    try:
        value = json.loads(text)
        points = tuple(int(point["characters"]) for point in value["breakpoints"])
        return PromptText(str(value["prompt"]), points)
    except (ValueError, KeyError, TypeError, RecursionError):  # another JSON text is a prompt like any text
        return PromptText(text)


def find_provider(model: str) -> str:
    """Return the provider whose cache rules hold for a model, "" if unknown."""
    plain = model.lower().rpartition("/")[2]
    if "claude" in plain:
        return "anthropic"
    return "openai" if plain.startswith(("gpt-", "o1", "o3", "o4", "chatgpt")) and "oss" not in plain else ""


def warn_of_section(section: PromptSection, result: GateResult) -> None:
    """Warn of a section that did not enter as it is."""
    for message in filter(None, (result.remark, result.warning)):
        say.warn(f"section {section.name}: {message}")
    if result.result == "briefing":
        where = f": ctxkit cache get {shorten_ref(result.ref)}" if result.ref else ""
        say.warn(f"section {section.name} is too large, and enters as a map{where}")
    if result.result == "refused":
        say.warn(f"section {section.name} does not fit, and is left out")


class PromptView(NamedTuple):
    """A built prompt with what is needed to show it; ``uses_tail`` puts volatile sections into the messages."""

    prompt: Prompt
    gated: Sequence[GatedSection]
    target: Target
    vocabulary: Vocabulary
    count: Tokenizer
    model: str
    uses_tail: bool

    @property
    def minimum(self) -> int:
        """Return the tokens of the smallest prompt that the provider caches."""
        return find_cache_minimum(self.model, "" if self.target == "text" else self.target) or find_cache_minimum(
            self.model, find_provider(self.model)
        )

    @property
    def usable_breakpoints(self) -> tuple[CacheBreakpoint, ...]:
        """Return the breakpoints that the provider can use."""
        return choose_breakpoints(self.prompt, self.count, self.minimum)

    def make_request(self) -> dict[str, Any]:
        """Return the members of a request to the target."""
        if self.target == "anthropic":
            return make_anthropic_members(self.prompt, self.usable_breakpoints, tail=self.uses_tail)
        return make_openai_members(self.prompt, tail=self.uses_tail)

    def make_facts(self) -> dict[str, Any]:
        """Return the documented members of a built prompt."""
        text, usable = self.prompt.text, self.usable_breakpoints
        points = [
            {**point._asdict(), "tokens": self.count(text[: point.characters]), "usable": point in usable}
            for point in self.prompt.breakpoints
        ]
        return {
            "prompt": text,
            "breakpoints": points,
            "sections": [_describe_section(item) for item in self.gated],
            "tokens": self.count(text),
            "method": "exact" if self.vocabulary.exact else "estimate",
            "tokenizer": self.vocabulary.name,
            "minimum": self.minimum,
            "request": None if self.target == "text" else self.make_request(),
        }

    def describe(self) -> str:
        """Return the prompt in one line."""
        cached = self.prompt.breakpoints[-1].bytes if self.prompt.breakpoints else 0
        sections = pluralize(len(self.prompt.sections), "section")
        size = len(self.prompt.text.encode("utf-8", "replace"))
        return f"{sections}, {pluralize(size, 'byte')}, of which {cached:,} can be cached"


def _describe_section(item: GatedSection) -> dict[str, Any]:
    section, result, token_count = item
    return {
        "name": section.name,
        "cacheable": section.is_static,
        "bytes": len(section.content.encode("utf-8", "replace")),
        "tokens": token_count.tokens if section.content else 0,
        "result": result.result,
        "ref": shorten_ref(result.ref) or None,
    }


def make_difference(
    difference: PromptDifference, old: PromptText, new: PromptText, prices: CachePrices, vocabulary: Vocabulary
) -> dict[str, Any]:
    """Return the documented members of a difference."""
    at = difference.characters
    return {
        "same": at < 0,
        "token": difference.token or None,
        "line": difference.line or None,
        "characters": at if at >= 0 else None,
        "bytes": len(new.text[:at].encode("utf-8", "replace")) if at >= 0 else None,
        "old": old.text[at : at + _SNIPPET] if at >= 0 else None,
        "new": new.text[at : at + _SNIPPET] if at >= 0 else None,
        "cached_tokens": difference.cached_tokens,
        "rewritten_tokens": difference.rewritten_tokens,
        "cost": round(difference.cost(prices), 2),
        "cost_ratio": round(difference.cost_ratio(prices), 4),
        "method": "exact" if vocabulary.exact else "estimate",
        "tokenizer": vocabulary.name,
    }


def format_difference(facts: Mapping[str, Any]) -> str:
    """Return a difference in a few lines."""
    import json

    lines = ["the prompts are the same"]
    if not facts["same"]:
        lines = [
            f"token {facts['token']:,} differs first, on line {facts['line']:,}",
            f"- {json.dumps(facts['old'], ensure_ascii=False)}",
            f"+ {json.dumps(facts['new'], ensure_ascii=False)}",
        ]
    cached, rewritten = pluralize(facts["cached_tokens"], "token"), pluralize(facts["rewritten_tokens"], "token")
    lines.append(f"{cached} stay cached, {rewritten} are written again")
    lines.append(f"cost: {facts['cost_ratio']:.2f} times that of an unchanged prompt")
    return "".join(f"{line}\n" for line in lines)


def encode_finding(finding: VolatileText) -> bytes:
    """Return a finding as a JSON line."""
    import json

    return json.dumps(finding._asdict(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def format_finding(finding: VolatileText, files: Mapping[str, str]) -> str:
    """Return a finding on one line."""
    place = files.get(finding.section, finding.section)
    return f"{place}:{finding.line}:{finding.column}: {finding.kind}: {finding.text}\n"
