"""Which formats of conversations there are."""

from collections.abc import Sequence
from typing import Any

from ctxkit.core.chat.editor import Editor
from ctxkit.core.chat.formats import (
    anthropic,
    chatml,
    claude_code,
    codex,
    gemini,
    langchain,
    openai,
    opencode,
    openhands,
    pi,
    qwen_code,
    responses,
    sharegpt,
    trajectory,
)
from ctxkit.core.chat.reader import Format as Format

FORMATS: tuple[Editor, ...] = (
    *(claude_code, qwen_code, codex, pi, opencode, openhands, gemini, responses, anthropic),
    *(sharegpt, trajectory, langchain, openai, chatml),
)
"""Every format, those with the clearest marks first: the first that claims a value has it."""


def format_of(values: Sequence[Any]) -> Editor | None:
    """Return the first format that claims one of some values, None when they are no conversation."""
    return next((one for one in FORMATS if any(one.claims(value) for value in values)), None)


def named(name: str) -> Editor:
    """Return the format of that name; raises KeyError when there is none."""
    return {one.NAME: one for one in FORMATS}[name]
