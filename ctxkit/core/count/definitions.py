"""Tokens of tool definitions.

OpenAI     cookbook, "How to count tokens with tiktoken", section 7: functions whose parameters are flat are
           counted as the API counts them; for nested ones the same rule is applied to each level, a guess.
Anthropic  "Tool use", pricing: a system prompt of known length, by model and tool choice, and the definitions.
"""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.message import Tool, Toolset
from ctxkit.core.chat.shape import dumped, mapping, text
from ctxkit.core.count.amount import NOTHING, Amount, about, exactly
from ctxkit.core.count.meter import Meter
from ctxkit.core.count.scheme import Scheme

PROPERTIES, PROPERTY, ENUM, ENUM_ITEM, END = 3, 3, -3, 3, 12
"""The cookbook's prop_init, prop_key, enum_init, enum_item and func_end."""
SYSTEM_PROMPTS = (
    (("claude-opus-5",), 286, 406),
    (("claude-sonnet-5",), 354, 474),
    (("claude-opus-4-8",), 290, 410),
    (("claude-opus-4-7",), 675, 804),
    (("claude-opus-4-6", "claude-sonnet-4-6"), 497, 589),
    (("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"), 496, 588),
    (("claude-opus-4", "claude-sonnet-4", "claude-3-7"), 313, 315),
    (("claude-3-5-haiku",), 264, 355),
    (("claude-3-opus",), 530, 281),
    (("claude-3-sonnet",), 159, 235),
    (("claude-3-haiku",), 264, 340),
)
"""Tokens by the beginnings of models' names: with tool choice auto or none, and with a forced one."""
SYSTEM_PROMPT = (496, 588)
"""The same where the model is not in the table."""
QWEN = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
    "function signatures within <tools></tools> XML tags:\n<tools>\n</tools>\n\nFor each function call, return a "
    "json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)
"""What Qwen's chat template says around the definitions."""


def tokens_of(tools: Toolset, scheme: Scheme, meter: Meter, model: str = "") -> Amount:
    """Return the tokens of definitions; a guess has a range."""
    if scheme.definitions == "openai":
        return _openai(tools, scheme, meter)
    total = NOTHING
    for tool in tools.tools:
        total = total.plus(meter.of(dumped(tool.raw))).plus(exactly(1))
    if scheme.name == "chatml":
        total = total.plus(meter.of(QWEN))
    total = about(total)
    return total.plus(_system_prompt(tools.choice, model)) if scheme.definitions == "anthropic" else total


def _system_prompt(choice: str, model: str) -> Amount:
    plain = model.lower().rpartition("/")[2].replace(".", "-")
    known = next(((free, forced) for names, free, forced in SYSTEM_PROMPTS if plain.startswith(names)), None)
    free, forced = known or SYSTEM_PROMPT
    tokens = exactly(free if choice in ("auto", "none") else forced)
    return tokens if known else about(tokens)


def _openai(tools: Toolset, scheme: Scheme, meter: Meter) -> Amount:
    total = exactly(END)
    for tool in tools.tools:
        flat, tokens = _function(tool, scheme, meter)
        total = total.plus(tokens if flat else about(tokens))
    return total


def _function(tool: Tool, scheme: Scheme, meter: Meter) -> tuple[bool, Amount]:
    """Return whether the cookbook's rule covers a function, and its tokens."""
    words = meter.of(f"{tool.name}:{tool.description.removesuffix('.')}")
    flat, inner = _properties(mapping(tool.schema, "properties"), meter)
    return flat and bool(tool.description), exactly(scheme.per_function).plus(words).plus(inner)


def _properties(properties: Mapping[str, Any], meter: Meter) -> tuple[bool, Amount]:
    if not properties:
        return True, NOTHING
    flat, total = True, exactly(PROPERTIES)
    for name, given in properties.items():
        kind, said = _kind(given), text(given, "description").removesuffix(".")
        total = total.plus(exactly(PROPERTY)).plus(meter.of(f"{name}:{kind}:{said}"))
        enum = given.get("enum") if isinstance(given, dict) else None
        if isinstance(enum, list):
            total = total.plus(exactly(ENUM))
            for item in enum:
                total = total.plus(exactly(ENUM_ITEM)).plus(meter.of(dumped(item)))
        inner = mapping(given, "properties") or mapping(mapping(given, "items"), "properties")
        total = total.plus(_properties(inner, meter)[1])
        flat = flat and bool(said) and bool(text(given, "type")) and kind not in ("object", "array")
    return flat, total


def _kind(given: Any) -> str:
    return text(given, "type") or dumped(given.get("type") if isinstance(given, dict) else None)
