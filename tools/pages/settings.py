"""Which settings a command reads, and which of them a project's file may set."""

from ctxkit.edge.settings import KEYS
from tools.pages.option import key_of
from tools.pages.tree import Verb

NOT_FOR_PROJECTS = {False: "no, unless trusted", True: "no"}
"""Whether a project may set a setting that is not for projects, by whether only the user's file may."""
_STORES = ("cache_dir", "data_dir")
_GATES = ("compact_trigger", "hard_block", "briefing_cap", "server", *_STORES)
_PASSES = ("exclude", "include", "never_store")
ALSO_READ = {
    "ctxkit gate": (*_GATES, *_PASSES, "turn", "focus"),
    "ctxkit run": (*_GATES, *_PASSES, "result_cap", "turn", "focus", "pipe_notes"),
    "ctxkit shell": (*_GATES, *_PASSES, "result_cap", "turn", "focus", "pipe_notes"),
    "ctxkit events": ("events", "input_price", "price_date"),
    "ctxkit mcp": ("result_cap", "server"),
    "ctxkit mcp wrap": (*_GATES, *_PASSES, "hint", "tool_deferral_threshold"),
    "ctxkit proxy": (*_GATES, *_PASSES, "tool_deferral_threshold"),
    "ctxkit turn": ("server", "focus"),
    "ctxkit brief": ("briefing_cap", *_STORES),
    "ctxkit compact": ("compact_trigger", "hard_block", *_STORES),
    "ctxkit cache": _STORES,
    "ctxkit session": ("data_dir",),
    "ctxkit snapshot": ("data_dir",),
    "ctxkit edit": _STORES,
    "ctxkit dedupe": ("lint",),
    "ctxkit init": ("data_dir",),
    "ctxkit statusline": ("data_dir", "session", "model", "window", "reserve", "compact_trigger"),
    "ctxkit hook": (
        *("server", *_STORES, *_PASSES, "briefing_cap", "result_cap", "store", "redact", "model", "tokenizer"),
    ),
}
"""Settings without an option that a command, or each command of a group, reads."""


def list_project_rows() -> list[tuple[str, str]]:
    """Return each setting with whether a project's file may set it."""
    return [
        (key, setting.project.words if setting.project else NOT_FOR_PROJECTS[setting.user_file_only])
        for key, setting in KEYS.items()
    ]


def list_variables(verb: Verb) -> dict[str, str]:
    """Return the settings that a command reads and that have a variable, by the variable; at the top, all of them."""
    group = verb.name.rpartition(" ")[0]
    keys = {*map(key_of, verb.options), *ALSO_READ.get(verb.name, ()), *ALSO_READ.get(group, ())}
    return {
        f"CTXKIT_{key.upper()}": key
        for key, setting in KEYS.items()
        if not setting.user_file_only and (verb.is_top or key in keys)
    }
