"""Say what is wrong with a command line, in one lower-case sentence; only errors load this."""

from __future__ import annotations

import re

import click

from ctxkit.edge.suggestions import suggest_option, suggest_value


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
