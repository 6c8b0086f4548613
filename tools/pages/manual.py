"""Man pages, written from the commands themselves: ``python -m tools.pages.manual man``."""

import re
from collections.abc import Iterator

import click

from ctxkit import __version__
from ctxkit.core.brief import detect
from ctxkit.core.exit import Exit
from ctxkit.core.vocabulary import VOCABULARIES
from ctxkit.edge.settings import KEYS
from tools.pages import glossary
from tools.pages.option import default_of, key_of, option_text, value_of
from tools.pages.prose import SECTIONS
from tools.pages.publish import publisher
from tools.pages.roff import literal, said, section, tagged, typed
from tools.pages.see_also import SEE_ALSO
from tools.pages.statuses import STATUSES, STATUSES_OF
from tools.pages.tree import Verb, told, tree

EVERYWHERE = (Exit.DONE, Exit.USAGE, Exit.BUG, Exit.IO, Exit.CONFIG, Exit.INTERRUPTED)
"""The statuses with which any verb may end."""


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


def _own(verb: Verb) -> Iterator[str]:
    for title, text in SECTIONS.get(verb.name, {}).items():
        yield from section(title, text)


def _types(verb: Verb) -> Iterator[str]:
    if any(option.name == "forced" for option in verb.options):
        yield from (".SH TYPES", ".PP", said(glossary.TYPES), ".PP", said(f"{', '.join(detect.types())}."))


def project_rows() -> list[tuple[str, str]]:
    """Return each setting with whether a project's file may set it."""
    return [
        (key, defined.project.words if defined.project else glossary.NOT_FOR_PROJECTS[defined.user_file_only])
        for key, defined in KEYS.items()
    ]


def _tables(verb: Verb) -> Iterator[str]:
    if not _is_top(verb):
        return
    yield from (".SH SETTINGS OF A PROJECT", ".PP", said(glossary.PROJECT))
    yield from literal([f"{key:24} {words}" for key, words in project_rows()])
    yield from (".SH MODELS", ".PP", said(glossary.MODELS))
    yield from (".SH TOKENIZERS", ".PP", said(glossary.TOKENIZERS))
    yield from literal([f"{one.name:12} {'exact' if one.exact else 'estimate'}" for one in VOCABULARIES.values()])


def _statuses(verb: Verb) -> Iterator[str]:
    every = tuple(Exit) if _is_top(verb) else EVERYWHERE
    meanings = {**{int(status): STATUSES[status] for status in every}, **STATUSES_OF.get(verb.name, {})}
    yield ".SH EXIT STATUS"
    for status, meaning in sorted(meanings.items()):
        yield from tagged(rf"\fB{status}\fR", meaning)


def _environment(verb: Verb) -> Iterator[str]:
    keys = [key for key in _keys(verb) if not KEYS[key].user_file_only]
    yield ".SH ENVIRONMENT"
    for key in keys:
        default = f" Default: {default_of(key)}." if default_of(key) else ""
        yield from tagged(rf"\fBCTXKIT_{key.upper()}\fR", glossary.KEYS[key] + default)
    if _is_top(verb):
        yield from tagged(r"\fBCTXKIT_DEBUG\fR", glossary.DEBUG)
    else:
        yield from (".PP", said(glossary.ELSEWHERE[bool(keys)]), r".BR ctxkit (1).")


def _keys(verb: Verb) -> list[str]:
    """Return the settings that a verb reads; at the top, all of them."""
    also = glossary.ALSO_READ.get(verb.name.rpartition(" ")[0], ())
    named = {*map(key_of, verb.options), *also}
    return [key for key in KEYS if _is_top(verb) or key in named]


def _files(verb: Verb) -> Iterator[str]:
    if _is_top(verb):
        yield from section("FILES", glossary.FILES)


def _examples(verb: Verb) -> Iterator[str]:
    yield ".SH EXAMPLES"
    for example in told(verb.command)[1]:
        yield from literal([f"$ {example}"])


def _see_also(verb: Verb) -> Iterator[str]:
    family = [verb.name.rpartition(" ")[0], *(below.name for below in verb.verbs), *SEE_ALSO.get(verb.name, ())]
    named = [name.replace(" ", "-") for name in dict.fromkeys(family) if name]
    yield ".SH SEE ALSO"
    for number, name in enumerate(named, 1):
        yield rf".BR {typed(name)} (1){',' if number < len(named) else ''}"


def _is_top(verb: Verb) -> bool:
    return verb.name == "ctxkit"


_PARTS = (
    *(_head, _synopsis, _description, _commands, _options, _own, _types, _tables),
    *(_statuses, _environment, _files, _examples, _see_also),
)
"""The sections of a page in their order; one that a verb has no use for yields nothing."""


if __name__ == "__main__":
    publisher(pages, "ctxkit*.1")()
