"""Man pages, written from the commands themselves: ``python -m ctxkit.manual man``."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from inspect import cleandoc

import click

from ctxkit import __version__, prose
from ctxkit.core.brief import detect
from ctxkit.core.exit import Exit
from ctxkit.core.models import MODELS
from ctxkit.core.vocabulary import VOCABULARIES
from ctxkit.edge.settings import KEYS
from ctxkit.main import door

EVERYWHERE = (Exit.DONE, Exit.USAGE, Exit.BUG, Exit.IO, Exit.CONFIG, Exit.INTERRUPTED)
"""The statuses with which any verb may end."""
_SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
"""What a formatter would turn into typographic marks, spelled so that it stays as it is typed."""
_HYPHEN = re.compile(r"(?<=[A-Za-z])-(?=[A-Za-z])")
_TYPED = re.compile(r"((?<![\w-])--?[A-Za-z][\w-]*|\bCTXKIT_[A-Z_]+|\bctxkit-[a-z-]+(?=\(1\)))")
"""Words of prose that are typed as they stand: options, variables and pages."""


@dataclass(frozen=True, slots=True)
class Verb:
    """Hold a command, the words that call it, and the verbs below it."""

    name: str
    command: click.Command
    context: click.Context
    verbs: tuple["Verb", ...]

    @property
    def page(self) -> str:
        """Return the name of the man page."""
        return self.name.replace(" ", "-")

    @property
    def summary(self) -> str:
        """Return what the verb does, in a sentence without its full stop."""
        return told(self.command)[0][0].partition(". ")[0].removesuffix(".")

    @property
    def options(self) -> list[click.Option]:
        """Return the options in the order of --help."""
        return [one for one in self.command.get_params(self.context) if isinstance(one, click.Option)]

    @property
    def arguments(self) -> list[click.Argument]:
        """Return the arguments in their order."""
        return [one for one in self.command.params if isinstance(one, click.Argument)]

    def walk(self) -> Iterator["Verb"]:
        """Yield the verb and every verb below it."""
        yield self
        for verb in self.verbs:
            yield from verb.walk()


def tree(command: click.Command = door, name: str = "ctxkit", parent: click.Context | None = None) -> Verb:
    """Return a command with every verb below it, all imported."""
    context = click.Context(command, parent=parent, info_name=name, **command.context_settings)
    names = command.list_commands(context) if isinstance(command, click.Group) else []
    verbs = [(one, command.get_command(context, one)) for one in names] if isinstance(command, click.Group) else []
    below = tuple(tree(verb, one, context) for one, verb in verbs if verb)
    return Verb(context.command_path, command, context, below)


def told(command: click.Command) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a command's help, and its examples."""
    paragraphs: list[str] = []
    examples: list[str] = []
    for block in cleandoc(command.help or "").split("\n\n"):
        lines = [line.strip() for line in block.removeprefix("\b\n").split("\n")]
        examples += [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        said = " ".join(line for line in lines if not line.startswith("$ "))
        if said:
            paragraphs.append(said.removesuffix(":") + ("." if said.endswith(":") else ""))
    return paragraphs, examples


def key_of(option: click.Option) -> str:
    """Return the setting that holds where an option is not given, empty for none."""
    name = option.name or ""
    return next((key for key in (name, name.removeprefix("no_"), f"cache_{name}") if key in KEYS), "")


def typed(text: str) -> str:
    """Return text as roff that comes out exactly as it is typed."""
    return "".join(_SPECIAL.get(one, one if one.isascii() else rf"\[u{ord(one):04X}]") for one in text)


def said(text: str) -> str:
    """Return prose as roff, a sentence a line, what is typed in bold."""
    pieces = _TYPED.split(text)
    marked = "".join(rf"\fB{typed(piece)}\fR" if place % 2 else _loose(piece) for place, piece in enumerate(pieces))
    return "\n".join(guarded(line) for line in re.sub(r"(?<=[.?!]) (?=[A-Z\\])", "\n", marked).split("\n"))


def _loose(text: str) -> str:
    """Return text as roff in which a hyphen inside a word is a hyphen."""
    return "-".join(typed(piece) for piece in _HYPHEN.split(text))


def guarded(line: str) -> str:
    """Return a line of roff that is no request, whatever it begins with."""
    return rf"\&{line}" if line.startswith((".", "'")) else line


def literal(lines: list[str]) -> list[str]:
    """Return lines as an indented block that is not filled."""
    return [".PP", ".RS 4", ".EX", *(guarded(typed(line)) for line in lines), ".EE", ".RE"]


def tagged(tag: str, text: str) -> list[str]:
    """Return one entry of a list; ``tag`` is roff, ``text`` is prose."""
    return [".TP", guarded(tag), said(text)]


def blocks(text: str) -> Iterator[str]:
    """Yield the roff of prose: paragraphs, literal blocks, and terms with their meaning indented below."""
    for block in cleandoc(text).split("\n\n"):
        lines = block.split("\n")
        if all(line.startswith("    ") for line in lines):
            yield from literal([line[4:] for line in lines])
        elif any(line.startswith("    ") for line in lines):
            for term, meaning in re.findall(r"^(\S.*)\n((?: {4}.*(?:\n|\Z))+)", block, re.MULTILINE):
                yield from tagged(rf"\fB{typed(term)}\fR", " ".join(meaning.split()))
        else:
            yield from (".PP", said(" ".join(lines)))


def page(verb: Verb) -> str:
    """Return the man page of a verb."""
    paragraphs, examples = told(verb.command)
    lines = [
        r'.\" Written by python -m ctxkit.manual from the command itself: change it there.',
        f'.TH {typed(verb.page.upper())} 1 "" "ctxkit {__version__}" "User Commands"',
        ".ad l",
        ".SH NAME",
        rf"{typed(verb.page)} \- {said(verb.summary[0].lower() + verb.summary[1:])}",
        *_synopsis(verb),
        ".SH DESCRIPTION",
        *(line for text in paragraphs for line in (".PP", said(text))),
        *_commands(verb),
        *_options(verb),
        *(line for title, text in prose.SECTIONS.get(verb.name, {}).items() for line in _section(title, text)),
        *(_types() if any(option.name == "forced" for option in verb.options) else ()),
        *(_tables() if verb.name == "ctxkit" else ()),
        *_statuses(verb),
        *_environment(verb),
        *(_section("FILES", prose.FILES) if verb.name == "ctxkit" else ()),
        ".SH EXAMPLES",
        *(line for example in examples for line in literal([f"$ {example}"])),
        *_see_also(verb),
    ]
    # A heading begins a paragraph already.
    return re.sub(r"^(\.SH .*\n)\.PP\n", r"\1", "\n".join(lines) + "\n", flags=re.MULTILINE)


def _section(title: str, text: str) -> Iterator[str]:
    yield f".SH {typed(title)}"
    yield from blocks(text)


def _synopsis(verb: Verb) -> Iterator[str]:
    yield from (".SH SYNOPSIS", f'.SY "{typed(verb.name)}"')
    for option in verb.options:
        yield f".OP {typed(_shortest(option))} {typed(_value(option))}".rstrip()
    for argument in verb.arguments:
        rest = r"[\fB\-\-\fR] " if argument.type is click.UNPROCESSED else ""
        yield rest + re.sub(r"([A-Z]+)", r"\\fI\1\\fR", typed(argument.make_metavar(verb.context)))
    if verb.verbs:
        yield r"\fICOMMAND\fR [\fIARG\fR]..."
    yield ".YS"


def _shortest(option: click.Option) -> str:
    return min(option.opts, key=len)


def _value(option: click.Option) -> str:
    return "" if option.is_flag else option.metavar or "VALUE"


def _commands(verb: Verb) -> Iterator[str]:
    if verb.verbs:
        yield ".SH COMMANDS"
    for below in verb.verbs:
        yield from tagged(rf"\fB{typed(below.page)}\fR(1)", f"{below.summary}.")


def _options(verb: Verb) -> Iterator[str]:
    yield ".SH OPTIONS"
    for option in verb.options:
        names = ", ".join(rf"\fB{typed(name)}\fR" for name in option.opts)
        value = rf" \fI{typed(_value(option))}\fR" if _value(option) else ""
        yield from tagged(names + value, option_text(option))


def option_text(option: click.Option) -> str:
    """Return the help of an option, with its setting, its variable and its default in words."""
    text, _, default = re.sub(r" \(CTXKIT_\w+\)", "", option.help or "").partition("  [default: ")
    key = key_of(option)
    ending = default.rstrip("]") or _default(key)
    known = [f"Setting {key} (CTXKIT_{key.upper()})" if key else "", f"default {ending}" if ending else ""]
    more = "; ".join(word for word in known if word)
    return f"{text} {more[0].upper()}{more[1:]}." if more else text


def _tables() -> Iterator[str]:
    yield from (".SH MODELS", ".PP", said(prose.MODELS))
    width = max(map(len, MODELS))
    yield from literal([f"{one.name:{width}} {one.window:>9,}  {one.tokenizer}" for one in MODELS.values()])
    yield from (".SH TOKENIZERS", ".PP", said(prose.TOKENIZERS))
    yield from literal([f"{one.name:12} {'exact' if one.exact else 'estimate'}" for one in VOCABULARIES.values()])


def _types() -> Iterator[str]:
    yield from (".SH TYPES", ".PP", said(prose.TYPES), ".PP", said(f"{', '.join(detect.types())}."))


def _statuses(verb: Verb) -> Iterator[str]:
    own = prose.STATUSES_OF.get(verb.name, {})
    every = tuple(Exit) if verb.name == "ctxkit" else EVERYWHERE
    yield ".SH EXIT STATUS"
    meanings = {**{int(status): prose.STATUSES[status] for status in every}, **own}
    for status, meaning in sorted(meanings.items()):
        yield from tagged(rf"\fB{status}\fR", meaning)


def _environment(verb: Verb) -> Iterator[str]:
    top = verb.name == "ctxkit"
    named = [key_of(option) for option in verb.options] + [*prose.ALSO_READ.get(verb.name.rpartition(" ")[0], ())]
    keys = [key for key in KEYS if top or key in named]
    yield ".SH ENVIRONMENT"
    for key in keys:
        default = f" Default: {_default(key)}." if _default(key) else ""
        yield from tagged(rf"\fBCTXKIT_{key.upper()}\fR", prose.KEYS[key] + default)
    if top:
        yield from tagged(r"\fBCTXKIT_DEBUG\fR", prose.DEBUG)
    else:
        yield from (".PP", said(prose.ELSEWHERE[bool(keys)]), r".BR ctxkit (1).")


def _default(key: str) -> str:
    """Return the default of a setting as TOML and variables have it, empty where there is none."""
    value = KEYS[key][1] if key else ""
    return "true" if value is True else str(value or "")


def _see_also(verb: Verb) -> Iterator[str]:
    family = [verb.name.rpartition(" ")[0], *(below.name for below in verb.verbs), *prose.SEE_ALSO.get(verb.name, ())]
    pages = [name.replace(" ", "-") for name in dict.fromkeys(family) if name]
    yield ".SH SEE ALSO"
    for number, name in enumerate(pages, 1):
        yield rf".BR {typed(name)} (1){',' if number < len(pages) else ''}"


def pages() -> dict[str, str]:
    """Return every man page by its file name."""
    return {f"{verb.page}.1": page(verb) for verb in tree().walk()}


def publisher(make: Callable[[], Mapping[str, str]], ours: str) -> click.Command:
    """Return a command that writes files into a directory; those named like ``ours`` go when they are stale."""

    @click.command()
    @click.argument("directory")
    @click.option("--check", is_flag=True, help="Write nothing; name the files that are stale and answer 1.")
    @click.pass_context
    def publish(ctx: click.Context, directory: str, check: bool) -> None:
        wanted = {name: text.encode() for name, text in make().items()}
        found = {name: _bytes(os.path.join(directory, name)) for name in _files(directory) if fnmatch(name, ours)}
        stale = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
        if check:
            click.echo("".join(f"{os.path.join(directory, name)} is stale\n" for name in stale), nl=False, err=True)
            ctx.exit(1 if stale else 0)
        os.makedirs(directory, exist_ok=True)
        for name in stale:
            _put(os.path.join(directory, name), wanted.get(name))

    return publish


def _files(directory: str) -> list[str]:
    return os.listdir(directory) if os.path.isdir(directory) else []


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _put(path: str, data: bytes | None) -> None:
    if data is None:
        os.unlink(path)
        return
    with open(path, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    publisher(pages, "ctxkit*.1")()
