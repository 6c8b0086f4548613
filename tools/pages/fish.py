"""Completion in fish: a function that finds the verb typed so far, and one line for each word."""

from collections.abc import Iterable, Iterator

import click

from tools.pages.tree import Verb
from tools.pages.words import Values, brief_help, names, takes_command, values_of

_SCRIPT = """\
# fish completion for ctxkit
# {lead}

# Print the verb typed so far; below it, where it runs a command, the words of that command. Count its arguments.
function __ctxkit_verb
    set -l verb ctxkit
    set -g __ctxkit_arguments 0
    set -l skip 0
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$verb $word"
{cases}
            case '*'
                set -g __ctxkit_arguments (math $__ctxkit_arguments + 1)
        end
    end
    echo $verb
end

function __ctxkit_at
    set -l verb (__ctxkit_verb)
    test "$verb[1]" = "$argv"
end

# Tell whether the next argument is the one of this number of a verb.
function __ctxkit_argument
    set -l verb (__ctxkit_verb)
    test "$verb[1] "(math $__ctxkit_arguments + 1) = "$argv"
end

function __ctxkit_value
    string replace -r '^--[^=]*=' '' -- (commandline -ct)
end

# Ask the installed ctxkit for values, never a program of the current directory.
function __ctxkit_ask
    set -l program (command -s ctxkit)
    string match -q '/*' -- "$program"
    and $program _complete $argv (__ctxkit_value) 2>/dev/null
end

# Print words, each after those that the list typed so far has.
function __ctxkit_list
    set -l head (string match -r '^.*,' -- (__ctxkit_value))
    for word in $argv
        string match -q "*,$word,*" -- ",$head"
        or printf '%s\\n' "$head$word"
    end
end

function __ctxkit_command
    set -l words (__ctxkit_verb)
    set -e words[1]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

complete -c ctxkit -f
{lines}
"""


def fish(top: Verb, lead: str) -> str:
    """Return the script for fish; ``lead`` is the comment above it."""
    lines = [line for verb in top.walk() for line in _verb(verb)]
    return _SCRIPT.format(lead=lead, cases="\n".join(_cases(top)), lines="\n".join(lines))


def _cases(top: Verb) -> Iterator[str]:
    """Yield what each word means after the verb before it."""
    for verb in top.walk():
        if names(verb, valued=True):
            yield _case(f"{verb.name} {name}" for name in names(verb, valued=True))
            yield "                set skip 1"
    running = [verb.name for verb in top.walk() if takes_command(verb)]
    yield from _begin([f"{name} --" for name in running], "")
    yield "            case '* -*'"
    yield from _begin([f"{name} *" for name in running], "$word ")
    yield _case(verb.name for verb in top.walk() if verb is not top)
    yield '                set verb "$verb $word"'


def _begin(patterns: list[str], word: str) -> Iterator[str]:
    """Yield where the command that a verb runs begins: with ``word``, or after it where that is empty."""
    if patterns:
        yield _case(patterns)
        yield f"                printf '%s\\n' $verb' --' {word}$words"
        yield "                return"


def _case(patterns: Iterable[str]) -> str:
    return f"            case {' '.join(map(_text, patterns))}"


def _verb(verb: Verb) -> Iterator[str]:
    here = f"complete -c ctxkit -n '__ctxkit_at {verb.name}'"
    for below in verb.verbs:
        yield f"{here} -a {below.command.name} -d {_text(below.summary)}"
    for option in (option for option in verb.options if not option.hidden):
        value = "" if option.is_flag else _value(values_of(option, verb), " -r", " -x")
        yield f"{here} {_spellings(option)}{value} -d {_text(brief_help(option))}"
    if takes_command(verb):
        yield f"{here} -a '(__ctxkit_command)'"
        yield f"complete -c ctxkit -n '__ctxkit_at {verb.name} --' -a '(__ctxkit_command)'"
        return
    for number, argument in enumerate(verb.arguments, 1):
        place = f"complete -c ctxkit -n '__ctxkit_argument {verb.name} {number}'"
        value = _value(values_of(argument, verb))
        if value:
            yield f"{here if argument.nargs == -1 else place}{value}"


def _spellings(option: click.Option) -> str:
    return " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.opts)


def _value(values: Values, with_files: str = "", without: str = "") -> str:
    """Return the switches of what a value may be: after those of a value that may be a file, or of one that may not."""
    words = " ".join(values.words)
    if values.is_list:
        return f"{without} -a {_text(f'(__ctxkit_list {words})')}"
    if values.kind:
        words = f"(__ctxkit_ask {values.kind})"
    start = f"{with_files} -F" if values.takes_file else without
    return f"{start} -a {_text(words)}" if words else start


def _text(text: str) -> str:
    """Return text between single quotes that means itself."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
