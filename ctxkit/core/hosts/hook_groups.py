"""Edit the groups of hooks in settings that several hosts have in common: event, matcher, commands."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.hosts.hook_script import make_hook_command
from ctxkit.core.hosts.jsonc import append_item, parse_jsonc, remove_value
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

RIVALS = ("rtk", "headroom", "context-mode", "lean-ctx")
"""Other programs that shorten tool output: two in a row lose twice."""


class HookGroups(NamedTuple):
    """The hooks of ctxkit in the settings of a host: the matcher of each event, and the members of each hook."""

    matchers: Mapping[str, str]
    members: Mapping[str, JsonValue]

    def install(self, text: str, directory: str) -> str:
        """Return the text of settings with the hooks; raise ValueError if it is not JSON or of another shape."""
        return add_hooks(text, {**self.members, "command": make_hook_command(directory)}, self.matchers)

    def remove(self, text: str, directory: str) -> str:
        """Return the text of settings without the hooks."""
        return remove_hooks(text, make_hook_command(directory), list(self.matchers))

    def is_installed(self, text: str, directory: str) -> bool:
        """Return whether the settings have the hook for each event."""
        return has_hooks(text, make_hook_command(directory), list(self.matchers))


def add_hooks(text: str, hook: dict[str, JsonValue], matchers: Mapping[str, str]) -> str:
    """Return the text with a hook in a group of its own for each event; ``matchers`` has the events, "" for no matcher.

    Raise ValueError if the text is not JSON or of another shape.
    """
    for event, matcher in matchers.items():
        if any(_find_matcher(text, event, group) != matcher for group, *_ in _find_hooks(text, event, hook["command"])):
            text = remove_hooks(text, str(hook["command"]), [event])  # of an earlier version
        if not any(_find_hooks(text, event, hook["command"])):
            group: JsonValue = {"matcher": matcher, "hooks": [hook]} if matcher else {"hooks": [hook]}
            text = append_item(text, ["hooks", event], group)
    return text


def remove_hooks(text: str, command: JsonValue, events: Sequence[str]) -> str:
    """Return the text without the hooks that run a command; what others added stays, also if it is empty."""
    for event in events:
        hooks = list(_find_hooks(text, event, command))
        for group, number, is_alone in reversed(hooks):
            path = ["hooks", event] if is_alone else ["hooks", event, str(group), "hooks"]
            text = remove_value(text, path, group if is_alone else number)
        if hooks:
            text = remove_empty(remove_empty(text, ["hooks", event]), ["hooks"])
    return text


def has_hooks(text: str, command: JsonValue, events: Sequence[str]) -> bool:
    """Return whether each of the events has a hook that runs a command."""
    return all(any(_find_hooks(text, event, command)) for event in events)


def _find_hooks(text: str, event: str, command: JsonValue) -> Iterator[tuple[int, int, bool]]:
    """Yield the indexes of groups and hooks that run a command, and whether the hook is alone in its group."""
    groups = parse_jsonc(text).find("hooks", event) if has_content(text) else None
    for group, node in enumerate(groups.items if groups else ()):
        hooks = node.find("hooks")
        values = [hook.make_value() for hook in hooks.items] if hooks else []
        for number, hook in enumerate(values):
            if isinstance(hook, dict) and hook.get("command") == command:
                yield group, number, len(values) == 1


def _find_matcher(text: str, event: str, group: int) -> JsonValue:
    """Return the matcher of a group, "" if it has none."""
    matcher = parse_jsonc(text).find("hooks", event, str(group), "matcher")
    return matcher.make_value() if matcher else ""


def remove_empty(text: str, path: Sequence[str]) -> str:
    """Return the text without the object or array at a path if it is empty; with a comment in it, it stays."""
    node = parse_jsonc(text).find(*path) if has_content(text) else None
    is_empty = node is not None and node.kind != "scalar" and not text[node.start + 1 : node.end - 1].strip()
    return remove_value(text, path) if is_empty else text


def has_content(text: str) -> bool:
    """Return whether a text has more than blanks."""
    return bool(text.strip("\ufeff \t\r\n"))


def find_rivals(text: str) -> list[str]:
    """Return the names of other programs for shorter tool output that hooks in the settings call."""
    if not has_content(text):
        return []
    words = set()
    for command in _list_strings((parse_jsonc(text).find("hooks") or parse_jsonc("{}")).make_value()):
        words |= set(re.split(r"[^\w.-]+", command))
    return [name for name in RIVALS if name in words]


def _list_strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _list_strings(inner)
