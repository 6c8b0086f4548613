"""Say what is wrong with a command line, and run a filter without wrong options, unless they may hold content."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import click

from ctxkit.core.errors import CtxkitError, Exit
from ctxkit.edge import say, settings, source, suggestions
from ctxkit.edge.setting_definitions import KEYS
from ctxkit.edge.setting_layers import PREFIX
from ctxkit.edge.suggestions import suggest_option, suggest_value

GUARDS = "redact", "never-store", "no-store", "strict", "check"
"""Options and settings that hold content back: nothing passes if one of them may have been meant."""
_EDITS = 2
"""Edits between a word and a guard that it may have been meant to be."""
_SHORTEST_PREFIX = 3
_LAST_DROPPED = "used", "session", "reserve", "tokenizer", "model", "limit", "window"
"""Options that say how much may pass: the others are left out first."""


def parse_without_faults(
    args: list[str], error: click.UsageError, parse: Callable[[list[str]], click.Context]
) -> click.Context | None:
    """Return the context of the arguments without the wrong ones, None if the source is not a pipe on stdin."""
    fault, remaining = error, args
    for _ in args:
        shorter = _remove_fault(remaining, fault)
        if shorter is None:
            return None
        remaining = shorter
        try:
            context = parse(list(remaining))
        except click.UsageError as next_fault:
            fault = next_fault
        else:
            return _read_pipe_if_file_is_missing(context, remaining, parse)
    return None


def _read_pipe_if_file_is_missing(
    context: click.Context, args: list[str], parse: Callable[[list[str]], click.Context]
) -> click.Context | None:
    """Return the context if its source is a pipe; a FILE that does not exist is the value of a wrong option."""
    if context.params.get("file", "-") not in ("", "-"):
        shorter = _remove_fault(args, click.UsageError("no such file", context))
        if shorter is None:
            return None
        context = parse(shorter)
    return context if _reads_pipe(context) else None


def _find_operands(groups: Sequence[list[str]]) -> list[list[str]]:
    """Return the arguments that are no options, none if one of them is a file."""
    operands = [group for group in groups if group[0] != "--" and _is_positional(group[0])]
    return [] if any(os.path.exists(group[0]) for group in operands) else operands


def _remove_fault(args: list[str], fault: click.UsageError) -> list[str] | None:
    """Return the arguments without the wrong option and its value, None if the fault cannot be removed."""
    groups = list(_group_words(args, fault.ctx))
    if isinstance(fault, click.NoSuchOption | click.BadOptionUsage):
        wrong = [group for group in groups if _names_option(group, [fault.option_name])]
    elif isinstance(fault, click.BadParameter) and isinstance(fault.param, click.Option):
        groups = [part for group in groups for part in _part_from_option(group)]
        wrong = [group for group in groups if _names_option(group, fault.param.opts)]
    else:
        wrong = _find_operands(groups)
    remaining = [word for group in groups if group not in wrong for word in group]
    return remaining if wrong else None


def _group_words(args: Sequence[str], ctx: click.Context | None) -> Iterator[list[str]]:
    """Yield each word, an option together with its value."""
    params = ctx.command.get_params(ctx) if ctx else []
    takes_value = {name: not getattr(param, "is_flag", True) for param in params for name in param.opts}
    words = deque(args)
    while words:
        group = [words.popleft()]
        if group[0] == "--":
            yield from ([word] for word in (*group, *words))
            return
        has_value = words and (takes_value[group[0]] if group[0] in takes_value else _is_value(words[0]))
        if has_value and not _is_positional(group[0]) and "=" not in group[0]:
            group.append(words.popleft())
        yield group


def _part_from_option(group: list[str]) -> list[list[str]]:
    """Return an option and its value apart, if the value is an option that followed by mistake."""
    return [[word] for word in group] if len(group) > 1 and group[1].startswith("--") else [group]


def _is_value(word: str) -> bool:
    """Return whether a word after an unknown option is its value: a number, or neither an option nor a file."""
    return _is_positional(word) and word != "-" and (word.isdigit() or not os.path.exists(word))


def _is_positional(word: str) -> bool:
    return word == "-" or not word.startswith("-")


def _names_option(group: list[str], names: Sequence[str]) -> bool:
    """Return whether the first word is one of the options, joined to its value or to other letters too."""
    word = group[0]
    if word.partition("=")[0] in names:
        return True
    letters = word[1:] if re.match(r"-[^-]", word) else ""
    return any(len(name) == 2 and name[1] in letters for name in names)


def run_despite_fault(
    ctx: click.Context, fault: Exception, words: Sequence[str], run: Callable[[click.Context], Any]
) -> Exit:
    """Report a fault of the command line, run the command without the wrong options, and return the fault's status.

    Raise the fault again if stdin is not the source or was read. If content may have to be held back, read stdin to its
    end first, so that the writing program does not die of a closed pipe.
    """
    if source.has_read_stdin() or not _reads_pipe(ctx):
        raise fault
    guard = _find_guard(ctx, words)
    if guard:
        if isinstance(fault, CtxkitError):  # the options are right as such, so nothing was meant otherwise
            raise fault
        source.drain(source.chunks("-"))
        _report(fault, f"nothing passes, because of {guard}; {ctx.command_path} --help")
        return _find_status(fault)
    _report(fault, f"stdin goes through {ctx.info_name} without it; {ctx.command_path} --help")
    for params in _list_attempts(ctx, isinstance(fault, click.UsageError)):
        ctx.params = params
        try:
            run(ctx)
        except (CtxkitError, click.UsageError):
            if source.has_read_stdin():
                raise
        else:
            break
    return _find_status(fault)


def _report(fault: Exception, hint: str) -> None:
    message = explain_usage_error(fault) if isinstance(fault, click.UsageError) else str(fault)
    own_hint = fault.hint if isinstance(fault, CtxkitError) else ""
    say.error(message, "; ".join(filter(None, (own_hint, hint))))


def _find_status(fault: Exception) -> Exit:
    return fault.status if isinstance(fault, CtxkitError) else Exit.USAGE


def _reads_pipe(ctx: click.Context) -> bool:
    """Return whether the command reads stdin, and stdin is not a terminal."""
    reads_stdin = ctx.params.get("file", "-") in ("", "-")
    return reads_stdin and sys.stdin is not None and not sys.stdin.closed and not sys.stdin.isatty()


def _find_guard(ctx: click.Context, words: Sequence[str]) -> str:
    """Return the word of the command line, the variable or the setting that may hold content back, "" for none."""
    options = {name for param in ctx.command.get_params(ctx) for name in param.opts}
    parts = [part for word in words for part in word.split("=")]
    return next(_iter_suspects(parts, options), "") or _find_guarding_setting()


def _iter_suspects(parts: Sequence[str], options: Collection[str]) -> Iterator[str]:
    """Yield the unknown words that may hold content back, the options that do, then such variables."""
    yield from (part for part in parts if part not in options and (is_guard(part) or _is_like_guard(part, options)))
    yield from (part for part in parts if part in options and part.lstrip("-") in GUARDS)
    names = [name for name in os.environ if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() not in KEYS]
    yield from (name for name in names if is_guard(name.removeprefix(PREFIX)))


def _is_like_guard(word: str, options: Collection[str]) -> bool:
    """Return whether an unknown option contains a guard, or a guard is suggested instead of it."""
    if not word.startswith("--"):
        return False
    meant = suggestions.list_options(word, options)[:1]
    return any(guard in word.replace("_", "-") for guard in GUARDS) or any(map(is_guard, meant))


def _find_guarding_setting() -> str:
    faults: list[CtxkitError] = []
    config = settings.load(blame=faults.append)
    for fault in faults:
        if not str(fault).startswith(PREFIX):
            return f"a fault in the settings ({fault})"
        if any(map(is_guard, re.findall(r"[\w-]+", str(fault)))):
            return str(fault)
    if not config["store"]:
        return "the setting store"
    return next((f"the setting {key}" for key in ("redact", "never_store", "strict") if config[key]), "")


def is_guard(word: str) -> bool:
    """Return whether a word is a guard, the beginning of one, longer than one, or two edits or fewer from one."""
    text = word.lstrip("-").lower().replace("_", "-")
    return any(
        text.startswith(guard)
        or (len(text) >= _SHORTEST_PREFIX and guard.startswith(text))
        or is_within_edits(text, guard, _EDITS)
        for guard in GUARDS
    )


def _list_attempts(ctx: click.Context, parsed_anew: bool) -> Iterator[dict[str, Any]]:
    """Yield the values to try: all if wrong ones were left out, then without one option, then without more."""
    params = dict(ctx.params)
    if parsed_anew:
        yield dict(params)
    defaults = click.Command.make_context(ctx.command, ctx.info_name, [], ctx.parent).params
    changed = [name for name in params if params[name] != defaults.get(name)]
    order = [name for name in changed if name not in _LAST_DROPPED]
    order += [name for name in _LAST_DROPPED if name in changed]
    for name in order:
        yield {**params, name: defaults.get(name)}
    for name in order:
        params[name] = defaults.get(name)
        yield dict(params)


def explain_usage_error(error: click.UsageError) -> str:
    """Return the message of an error that click or a command raised."""
    if isinstance(error, click.NoSuchOption):
        return f"no such option: {error.option_name}{suggest_option(error.option_name, _list_options(error.ctx))}"
    if isinstance(error, click.BadOptionUsage):
        needs = "takes no value" if "does not take" in error.message else "needs a value"
        return f"{error.option_name} {needs}"
    if isinstance(error, click.MissingParameter):
        return _explain_missing(error)
    if isinstance(error, click.BadParameter):
        return _explain_value(error)
    if extra := re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message, re.DOTALL):
        return f"unexpected argument{'s' if 'arguments (' in error.message else ''}: {extra[1]}"
    return _begin_as_ours(error.format_message())


def _begin_as_ours(message: str) -> str:
    """Return a sentence of click without its capital and its full stop; ours have neither."""
    return message[0].lower() + message[1:-1] if re.fullmatch(r"[A-Z][a-z].*\.", message, re.DOTALL) else message


def _list_options(ctx: click.Context | None) -> list[str]:
    params = ctx.command.get_params(ctx) if ctx else []
    return [name for param in params if not getattr(param, "hidden", False) for name in param.opts if name[:1] == "-"]


def _explain_missing(error: click.MissingParameter) -> str:
    param = error.param
    if param is None:
        return error.format_message()
    is_option = isinstance(param, click.Option)
    name = param.opts[-1] if is_option else param.make_metavar(error.ctx or click.Context(click.Command("")))
    choices = f" (one of {', '.join(param.type.choices)})" if isinstance(param.type, click.Choice) else ""
    return f"missing {'option' if is_option else 'argument'}: {name}{choices}"


def _explain_value(error: click.BadParameter) -> str:
    param = error.param
    if param is None:
        return error.format_message()
    name = param.opts[-1] if isinstance(param, click.Option) else (param.metavar or param.name or "").strip("[].")
    if not isinstance(param.type, click.Choice):
        return f"{name}: {error.message.removesuffix('.')}"
    choices = [str(choice) for choice in param.type.choices]
    value = re.match(r"'(.*?)' is not one of |\"(.*?)\" is not one of ", error.message, re.DOTALL)
    text = (value[1] or value[2] or "") if value else ""
    return f"{name}: {text!r} is not one of {', '.join(choices)}{suggest_value(text, choices)}"


def is_within_edits(first: str, second: str, most: int) -> bool:
    """Return whether at most ``most`` inserted, removed or replaced letters turn one word into the other."""
    if abs(len(first) - len(second)) > most:
        return False
    row = list(range(len(second) + 1))
    for number, letter in enumerate(first, 1):
        previous, row = row, [number]
        for at, other in enumerate(second):
            row.append(min(previous[at] + (letter != other), previous[at + 1] + 1, row[at] + 1))
    return row[-1] <= most
