"""Suggest the command, the option or the value that a user may have meant; only errors load this."""

from __future__ import annotations

from collections.abc import Collection, Mapping

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "": {
        "lint": "dedupe",
        "duplicates": "dedupe",
        "map": "brief",
        "outline": "brief",
        "summarize": "brief",
        "summarise": "brief",
        "summary": "brief",
        "stats": "events",
        "gain": "events",
        "savings": "events",
        "saved": "events",
        "log": "events",
        "logs": "events",
        "metrics": "events",
        "update": "models update",
        "upgrade": "models update",
        "model": "models",
        "tokens": "count",
        "tokenize": "count",
        "wc": "count",
        "exec": "run",
        "execute": "run",
        "wrap": "run",
        "filter": "gate",
        "pipe": "gate",
        "limit": "gate",
        "head": "truncate",
        "tail": "truncate",
        "trim": "truncate",
        "cut": "truncate",
        "store": "cache put",
        "put": "cache put",
        "get": "cache get",
        "read": "cache get",
        "cat": "cache get",
        "show": "cache get",
        "search": "cache search",
        "grep": "cache search",
        "find": "cache search",
        "list": "cache list",
        "ls": "cache list",
        "rm": "cache rm",
        "clear": "cache rm",
        "delete": "cache rm",
        "clean": "cache gc",
        "gc": "cache gc",
        "prune": "cache gc",
        "compress": "compact",
        "condense": "compact",
        "history": "session history",
        "status": "session status",
        "resume": "snapshot resume",
        "save": "snapshot save",
        "load": "snapshot load",
        "restore": "snapshot load",
        "context": "budget",
        "window": "budget",
        "cost": "usage",
        "install": "init",
        "setup": "init",
        "hooks": "init",
        "uninstall": "init HOST --remove",
        "remove": "init HOST --remove",
        "config": "doctor",
        "settings": "doctor",
        "check": "doctor",
        "info": "doctor",
        "server": "serve",
        "daemon": "serve",
        "start": "serve",
        "bash": "shell",
        "sh": "shell",
        "completions": "completion",
        "autocomplete": "completion",
        "man": "help",
        "version": "--version",
    },
    "session": {"show": "status", "get": "status", "log": "history", "messages": "history", "set": "reset"},
    "snapshot": {"get": "load", "show": "load", "restore": "load", "put": "save", "compare": "diff"},
    "edit": {"undo": "restore", "revert": "restore", "compact": "summarize"},
    "models": {"get": "show", "import": "update", "add": "update", "fetch": "update", "search": "list"},
    "tools": {"list": "builtin", "ls": "builtin", "filter": "select", "choose": "select"},
    "prompt": {"make": "build", "assemble": "build", "compare": "diff", "check": "lint"},
}
"""What other programs call a command, by the group that has it; the empty name is ctxkit itself."""
SUBCOMMANDS: Mapping[str, tuple[str, ...]] = {
    "show": ("get", "show"),
    "cat": ("get", "load", "history", "show"),
    "read": ("get", "load", "history", "show"),
    "view": ("get", "load", "show", "status"),
    "clear": ("rm",),
    "delete": ("rm", "remove"),
    "del": ("rm", "remove"),
    "remove": ("rm",),
    "rm": ("remove",),
    "purge": ("rm",),
    "drop": ("rm", "remove"),
    "clean": ("gc", "rm"),
    "prune": ("gc", "rm"),
    "ls": ("list",),
    "all": ("list",),
    "add": ("put", "append"),
    "push": ("put", "append"),
    "store": ("put", "save"),
    "save": ("put",),
    "write": ("put", "save"),
    "create": ("new", "save", "build"),
    "new": ("save", "put", "build"),
    "start": ("new",),
    "find": ("search", "list"),
    "grep": ("search",),
    "query": ("search",),
    "stats": ("stat", "status"),
    "status": ("stat",),
    "info": ("stat", "show", "status"),
    "size": ("stat",),
    "check": ("verify", "lint"),
    "where": ("path",),
    "help": ("--help",),
}
"""What other programs call a subcommand of any group; the first that the group has is suggested."""
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "--max-tokens": ("--limit", "--target", "--window"),
    "--max_tokens": ("--max-tokens", "--limit", "--target", "--window"),
    "--tokens": ("--limit", "--target", "--max-tokens", "--window"),
    "--max": ("--limit", "--target", "--max-tokens", "--max-lines"),
    "--budget": ("--limit", "--target", "--window"),
    "--limit": ("--target", "--max-tokens"),
    "--target": ("--limit", "--max-tokens"),
    "--size": ("--window", "--max-size", "--max-bytes"),
    "--ctx": ("--window",),
    "--n-ctx": ("--window",),
    "--num-ctx": ("--window",),
    "--context": ("--window",),
    "--context-size": ("--window",),
    "--context-length": ("--window",),
    "--context-window": ("--window",),
    "--max-model-len": ("--window",),
    "--llm": ("--model",),
    "--encoding": ("--tokenizer",),
    "--encoder": ("--tokenizer",),
    "--vocab": ("--tokenizer",),
    "--silent": ("--quiet",),
    "-s": ("--session",),
    "--debug": ("--verbose",),
    "--lang": ("--type",),
    "--language": ("--type",),
    "--kind": ("--type",),
    "--title": ("--name",),
    "--label": ("--name",),
    "--filename": ("--stdin-name", "--name"),
    "--stdin-filename": ("--stdin-name", "--name"),
    "--query": ("--focus", "--grep"),
    "--match": ("--focus", "--grep"),
    "--search": ("--focus", "--grep"),
    "--filter": ("--focus", "--grep"),
    "--grep": ("--focus",),
    "--mask": ("--redact",),
    "--scrub": ("--redact",),
    "--sanitize": ("--redact",),
    "--cache": ("--store",),
    "--redis": ("--store",),
    "--no-cache": ("--no-store",),
    "--force": ("--yes", "--admit"),
    "-y": ("--yes",),
    "-f": ("--follow", "--yes"),
    "--delete": ("--remove", "--all"),
    "--uninstall": ("--remove",),
    "--undo": ("--remove", "--restore"),
    "--id": ("--session",),
    "--conversation": ("--session",),
    "--exit-code": ("--status", "--exit-zero"),
    "--output-format": ("--format", "--json"),
    "--format": ("--output-format", "--json"),
    "--time-limit": ("--timeout",),
    "--age": ("--max-age",),
    "--older-than": ("--max-age",),
    "--line": ("--lines",),
    "--range": ("--lines",),
    "--offset": ("--lines",),
    "-n": ("--max-lines", "--lines", "--dry-run", "--limit"),
    "-m": ("--model",),
    "-w": ("--window",),
    "-t": ("--tokenizer",),
    "--watch": ("--follow",),
    "--provider": ("--to",),
    "--what-if": ("--dry-run",),
    "--simulate": ("--dry-run",),
    "--colour": ("--color",),
}
"""What other programs call an option; the first that the command has is suggested."""
VALUES: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude-code", "anthropic"),
    "claudecode": ("claude-code",),
    "gpt": ("openai",),
    "openai": ("codex",),
    "openai-codex": ("codex",),
    "gemini-cli": ("gemini",),
    "google": ("gemini",),
    "github": ("copilot",),
    "github-copilot": ("copilot",),
    "copilot-cli": ("copilot",),
    "mini": ("mini-swe-agent",),
    "swe-agent": ("mini-swe-agent",),
    "open-code": ("opencode",),
    "qwen-code": ("qwen",),
}
"""Other names of hosts and APIs; the first that an option or an argument accepts is suggested."""


def suggest_command(group: str, word: str, verbs: Collection[str]) -> str:
    """Return the end of the message about a ``word`` that is no command of a group, "" without a suggestion."""
    name = word.lower()
    candidates = (COMMANDS.get(group, {}).get(name, ""), *(SUBCOMMANDS.get(name, ()) if group else ()))
    known = [text for text in candidates if text and (text.startswith("-") or text.split()[0] in verbs)]
    return _format([*known, *_find_similar(name, verbs)])


OPTION_SIMILARITY = 0.7
"""Least similarity of an option that is suggested, without dashes: ``bogus`` is no ``focus``."""


def suggest_option(name: str, options: Collection[str]) -> str:
    """Return the end of the message about an unknown option, "" without a suggestion."""
    return _format(list_options(name, options))


def list_options(name: str, options: Collection[str]) -> list[str]:
    """Return the options that an unknown option may have been meant to be, the likeliest first."""
    known = [option for option in OPTIONS.get(name, ()) if option in options]
    words = {option.lstrip("-"): option for option in options if option.startswith("--")}
    return [*known, *(words[word] for word in _find_similar(name.lstrip("-"), words, OPTION_SIMILARITY))]


def suggest_value(value: str, choices: Collection[str]) -> str:
    """Return the end of the message about a value that is no choice, "" without a suggestion."""
    name, names = value.lower(), {choice.lower(): choice for choice in choices}
    known = [choice for choice in VALUES.get(name, ()) if choice in choices]
    return _format([*known, *(names[similar] for similar in _find_similar(name, names))])


def _find_similar(word: str, words: Collection[str], similarity: float = 0.6) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, words, 1, similarity)


def _format(suggestions: list[str]) -> str:
    return f"; did you mean {suggestions[0]}?" if suggestions else ""
