"""Man pages, written from the commands and the files in text/: ``python -m tools.pages.manual man``."""

import re
from collections.abc import Iterator

import click

from ctxkit import __version__
from ctxkit.core.brief import detect
from ctxkit.core.exit import Exit
from ctxkit.core.vocabulary import VOCABULARIES
from tools.pages.markdown import Paragraph
from tools.pages.option import default_of, option_text, value_of
from tools.pages.publish import publisher
from tools.pages.roff import literal, said, section, tagged, typed
from tools.pages.settings import list_project_rows, list_variables
from tools.pages.text import read_page, read_shared
from tools.pages.tree import Verb, told, tree

EVERYWHERE = (Exit.DONE, Exit.USAGE, Exit.BUG, Exit.IO, Exit.CONFIG, Exit.INTERRUPTED)
"""The statuses with which any verb may end."""
ELSEWHERE = {True: "Every setting, and the files that hold them, are in", False: "The settings are described in"}
"""The sentence that leads to the page with all settings, after others or alone."""


def pages() -> dict[str, str]:
    """Return every man page by its file name."""
    return {f"{verb.page}.1": page(verb) for verb in tree().walk()}


def page(verb: Verb) -> str:
    """Return the man page of a verb."""
    text = "".join(f"{line}\n" for part in _PARTS for line in part(verb))
    # A heading begins a paragraph already.
    return re.sub(r"^(\.SH .*\n)\.PP\n", r"\1", text, flags=re.MULTILINE)


def _head(verb: Verb) -> Iterator[str]:
    yield r'.\" Written by python -m ctxkit.pages.manual from the command itself: change it there.'
    yield f'.TH {typed(verb.page.upper())} 1 "" "ctxkit {__version__}" "User Commands"'
    yield ".ad l"
    yield ".SH NAME"
    yield rf"{typed(verb.page)} \- {said(verb.summary[0].lower() + verb.summary[1:])}"


def _synopsis(verb: Verb) -> Iterator[str]:
    yield from (".SH SYNOPSIS", f'.SY "{typed(verb.name)}"')
    for option in verb.options:
        yield f".OP {typed(min(option.opts, key=len))} {typed(value_of(option))}".rstrip()
    for argument in verb.arguments:
        rest = r"[\fB\-\-\fR] " if argument.type is click.UNPROCESSED else ""
        yield rest + re.sub(r"([A-Z]+)", r"\\fI\1\\fR", typed(argument.make_metavar(verb.context)))
    if verb.verbs:
        yield r"\fICOMMAND\fR [\fIARG\fR]..."
    yield ".YS"


def _description(verb: Verb) -> Iterator[str]:
    yield ".SH DESCRIPTION"
    for text in told(verb.command)[0]:
        yield from (".PP", said(text))


def _commands(verb: Verb) -> Iterator[str]:
    if verb.verbs:
        yield ".SH COMMANDS"
    for below in verb.verbs:
        yield from tagged(rf"\fB{typed(below.page)}\fR(1)", f"{below.summary}.")


def _options(verb: Verb) -> Iterator[str]:
    yield ".SH OPTIONS"
    for option in verb.options:
        names = ", ".join(rf"\fB{typed(name)}\fR" for name in option.opts)
        value = rf" \fI{typed(value_of(option))}\fR" if value_of(option) else ""
        yield from tagged(names + value, option_text(option))


def _sections(verb: Verb) -> Iterator[str]:
    for title, blocks in read_page(verb.page).sections.items():
        yield from section(title, blocks)
        if verb.is_top and title in _TABLES:
            yield from literal(_TABLES[title]())


def _project_lines() -> list[str]:
    return [f"{key:24} {words}" for key, words in list_project_rows()]


def _tokenizer_lines() -> list[str]:
    return [f"{entry.name:12} {'exact' if entry.exact else 'estimate'}" for entry in VOCABULARIES.values()]


_TABLES = {"SETTINGS OF A PROJECT": _project_lines, "TOKENIZERS": _tokenizer_lines}
"""Tables below the text of a section of ctxkit(1)."""


def _types(verb: Verb) -> Iterator[str]:
    if any(option.name == "forced" for option in verb.options):
        yield from section("TYPES", [*read_shared("types"), Paragraph(f"{', '.join(detect.types())}.")])


def _statuses(verb: Verb) -> Iterator[str]:
    every = read_page("ctxkit").statuses
    meanings = {status: every[status] for status in (every if verb.is_top else EVERYWHERE)}
    yield ".SH EXIT STATUS"
    for status, meaning in sorted({**meanings, **read_page(verb.page).statuses}.items()):
        yield from tagged(rf"\fB{int(status)}\fR", meaning)


def _environment(verb: Verb) -> Iterator[str]:
    meanings, variables = read_page("ctxkit").environment, list_variables(verb)
    yield ".SH ENVIRONMENT"
    for name in meanings if verb.is_top else variables:
        default = default_of(variables.get(name, ""))
        yield from tagged(rf"\fB{typed(name)}\fR", meanings[name] + (f" Default: {default}." if default else ""))
    if not verb.is_top:
        yield from (".PP", said(ELSEWHERE[bool(variables)]), r".BR ctxkit (1).")


def _files(verb: Verb) -> Iterator[str]:
    files = read_page(verb.page).files
    if files:
        yield from section("FILES", files)


def _examples(verb: Verb) -> Iterator[str]:
    yield ".SH EXAMPLES"
    for example in told(verb.command)[1]:
        yield from literal([f"$ {example}"])


def _see_also(verb: Verb) -> Iterator[str]:
    family = [verb.page.rpartition("-")[0], *(below.page for below in verb.verbs)]
    named = [name for name in dict.fromkeys([*family, *read_page(verb.page).see_also]) if name]
    yield ".SH SEE ALSO"
    for number, name in enumerate(named, 1):
        yield rf".BR {typed(name)} (1){',' if number < len(named) else ''}"


_PARTS = (
    *(_head, _synopsis, _description, _commands, _options, _sections, _types),
    *(_statuses, _environment, _files, _examples, _see_also),
)
"""The sections of a page in their order; one that a verb has no use for yields nothing."""


if __name__ == "__main__":
    publisher(pages, "ctxkit*.1")()
