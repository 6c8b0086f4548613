"""What a man page says of an option: its help, its setting and its default."""

import re

import click

from ctxkit.edge.settings import KEYS


def key_of(option: click.Option) -> str:
    """Return the setting that holds where an option is not given, empty for none."""
    name = option.name or ""
    return next((key for key in (name, name.removeprefix("no_"), f"cache_{name}") if key in KEYS), "")


def default_of(key: str) -> str:
    """Return the default of a setting as TOML and variables have it, empty where there is none."""
    value = KEYS[key].default if key else ""
    return "true" if value is True else str(value or "")


def _default_in_words(key: str) -> str:
    """Return the default of a setting, "" for true and false: true is no value of --store URL."""
    is_switch = bool(key) and isinstance(KEYS[key].default, bool)
    return "" if is_switch else default_of(key)


def value_of(option: click.Option) -> str:
    """Return the name of an option's value, or the values there are; empty where it takes none."""
    if option.is_flag or option.metavar:
        return option.metavar or ""
    return "|".join(option.type.choices) if isinstance(option.type, click.Choice) else "VALUE"


def option_text(option: click.Option) -> str:
    """Return the help of an option, with its setting, its variable and its default in words."""
    text, _, default = re.sub(r" \(CTXKIT_\w+\)", "", option.help or "").partition("  [default: ")
    key = key_of(option)
    ending = default.rstrip("]") or _default_in_words(key)
    is_negation = bool(key) and (option.name or "").startswith("no_")
    name = f"{key} = false" if is_negation else key
    known = [f"Setting {name} (CTXKIT_{key.upper()})" if key else "", f"default {ending}" if ending else ""]
    more = "; ".join(word for word in known if word)
    return f"{text} {more[0].upper()}{more[1:]}." if more else text
