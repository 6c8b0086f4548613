"""Tokens of tool definitions.

OpenAI     cookbook, "How to count tokens with tiktoken", section 7: functions with flat parameters are counted
           as the API counts them; nested ones follow the same rule on each level, which is a guess.
Anthropic  "Tool use", pricing: a system prompt of known length, by model and tool choice, and the definitions.
"""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import dump_value, get_object, get_text
from ctxkit.core.chat.model.message import Tool, Toolset
from ctxkit.core.count.amount import ZERO, Amount, exact_amount, guessed_amount
from ctxkit.core.count.scheme import Scheme
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.text.json_value import JsonValue

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
"""Tokens by prefix of the model's name: with tool choice auto or none, and with a forced choice."""
SYSTEM_PROMPT = (496, 588)
"""The same for a model that is not in the table."""
QWEN = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
    "function signatures within <tools></tools> XML tags:\n<tools>\n</tools>\n\nFor each function call, return a "
    "json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)
"""The text that Qwen's chat template adds around the definitions."""


def count_tools(tools: Toolset, scheme: Scheme, counter: TextCounter, model: str = "") -> Amount:
    """Return the token count of tool definitions and of the schema of the answer; a guess has a range."""
    schema = guessed_amount(counter.count(tools.answer_schema))
    return schema.plus(_count_definitions(tools, scheme, counter, model)) if tools.tools else schema


def _count_definitions(tools: Toolset, scheme: Scheme, counter: TextCounter, model: str) -> Amount:
    if scheme.definitions == "openai":
        return _count_openai(tools, scheme, counter)
    total = ZERO
    for tool in tools.tools:
        total = total.plus(counter.count(dump_value(tool.raw))).plus(exact_amount(1))
    if scheme.name == "chatml":
        total = total.plus(counter.count(QWEN))
    total = guessed_amount(total)
    return total.plus(_count_system_prompt(tools.choice, model)) if scheme.definitions == "anthropic" else total


def _count_system_prompt(choice: str, model: str) -> Amount:
    plain = model.lower().rpartition("/")[2].replace(".", "-")
    costs = next(((free, forced) for names, free, forced in SYSTEM_PROMPTS if plain.startswith(names)), None)
    free, forced = costs or SYSTEM_PROMPT
    tokens = exact_amount(free if choice in ("auto", "none") else forced)
    return tokens if costs else guessed_amount(tokens)


def _count_openai(tools: Toolset, scheme: Scheme, counter: TextCounter) -> Amount:
    total = exact_amount(END)
    for tool in tools.tools:
        flat, tokens = _count_function(tool, scheme, counter)
        total = total.plus(tokens if flat else guessed_amount(tokens))
    return total


def _count_function(tool: Tool, scheme: Scheme, counter: TextCounter) -> tuple[bool, Amount]:
    """Return whether the cookbook's rule covers a function, and its token count."""
    words = counter.count(f"{tool.name}:{tool.description.removesuffix('.')}")
    flat, inner = _count_properties(get_object(tool.schema, "properties"), counter)
    return flat and bool(tool.description), exact_amount(scheme.per_function).plus(words).plus(inner)


def _count_properties(properties: Mapping[str, JsonValue], counter: TextCounter) -> tuple[bool, Amount]:
    if not properties:
        return True, ZERO
    flat, total = True, exact_amount(PROPERTIES)
    for name, schema in properties.items():
        kind, description = _property_type(schema), get_text(schema, "description").removesuffix(".")
        total = total.plus(exact_amount(PROPERTY)).plus(counter.count(f"{name}:{kind}:{description}"))
        enum = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(enum, list):
            total = total.plus(exact_amount(ENUM))
            for item in enum:
                total = total.plus(exact_amount(ENUM_ITEM)).plus(counter.count(dump_value(item)))
        inner = get_object(schema, "properties") or get_object(get_object(schema, "items"), "properties")
        total = total.plus(_count_properties(inner, counter)[1])
        flat = flat and bool(description) and bool(get_text(schema, "type")) and kind not in ("object", "array")
    return flat, total


def _property_type(schema: JsonValue) -> str:
    return get_text(schema, "type") or dump_value(schema.get("type") if isinstance(schema, dict) else None)
