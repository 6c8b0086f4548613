"""Recognize the nodes of a syntax tree that define something, with their name and body."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.engines.definition_nodes import (
    BLOCK,
    BODIED,
    ELIXIR,
    HOLDER,
    LANGUAGE_NOUNS,
    MISREAD,
    NAME,
    NOUN,
    SCRIPTS,
    TEST,
    VALUE,
    WORDS,
    find_declarator,
    find_first_name,
    find_name,
)

if TYPE_CHECKING:
    from tree_sitter import Node


class Declaration(NamedTuple):
    """The parts of a definition: ``name`` may be a keyword, ``body`` is None if there is none."""

    kind: str
    name: Node
    body: Node | None


@cache
def _find_noun(node_type: str, language: str) -> str:
    match = NOUN.fullmatch(node_type)
    return LANGUAGE_NOUNS.get(language, {}).get(node_type, match[1] if match else "")


@cache
def _is_holder(node_type: str) -> bool:
    return HOLDER.fullmatch(node_type) is not None


def find_declaration(node: Node, language: str) -> Declaration | None:
    """Return the declaration at ``node``, or None if it defines nothing."""
    noun = _find_noun(node.type, language)
    if noun:
        return _parse_definition(node, noun)
    if _is_holder(node.type):
        return _parse_assignment(node)
    if node.type == "call" and language == "elixir":
        return _parse_macro_call(node)
    if node.type == "call_expression" and language in SCRIPTS:
        return _parse_test_call(node)
    if node.type in ("declaration", "field_declaration"):
        return _parse_prototype(node)
    return None


def _parse_definition(node: Node, noun: str) -> Declaration | None:
    if node.type == "type_definition" and node.child_by_field_name("declarator") is not None:
        return _parse_typedef(node)
    body = _find_body(node)
    name = find_name(node)
    if name is None or (body is None and BODIED.fullmatch(node.type)):
        return None
    if noun == "function":
        noun = _find_misread_type(node) or noun
        name = _find_macro_use(node) or name
    if noun == "class":
        noun = next((child.type for child in node.children if child.type in WORDS), noun)
    return Declaration(noun, name, body)


def _find_misread_type(node: Node) -> str:
    """Return ``class`` for ``class EXPORT Name : public Base {}``, a function to the parser, or nothing."""
    kind, inner = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    if kind is None or inner is None or inner.type != "identifier":
        return ""
    word = kind.type.removesuffix("_specifier") if kind.type.endswith("_specifier") else (kind.text or b"").decode()
    return word if word in MISREAD else ""


def _find_macro_use(node: Node) -> Node | None:
    """Return ``TEST(Suite, Case)`` of a C function that a macro with arguments defines."""
    inner = node.child_by_field_name("declarator")
    if inner is None or inner.type != "function_declarator" or node.child_by_field_name("type") is not None:
        return None
    name, arguments = inner.child_by_field_name("declarator"), inner.child_by_field_name("parameters")
    if name is None or arguments is None or name.type != "identifier" or not (name.text or b"").isupper():
        return None
    names = arguments.named_children
    return inner if names and all(map(_is_bare_type, names)) else None


def _is_bare_type(node: Node) -> bool:
    """Return whether a parameter is a type without a name."""
    return node.named_child_count == 1 and node.named_children[0].type == "type_identifier"


def _parse_typedef(node: Node) -> Declaration | None:
    """Return the declaration of ``typedef struct {...} name;``; None without a body, which only renames."""
    kind = node.child_by_field_name("type")
    body = _find_body(kind) if kind is not None else None
    name = find_declarator(node)
    return Declaration("type", name, body) if name is not None and body is not None else None


def _parse_assignment(node: Node) -> Declaration | None:
    """Return the function or type that is assigned to a variable, field or property."""
    value = _find_value(node)
    if value is None or not value.is_named:
        return None
    if value.type == "call_expression":  # memo(() => ...), createAggregator(function () {...})
        value = _unwrap_call(value)
    if value is None or not VALUE.fullmatch(value.type):
        return None
    name = find_name(node)
    kind = value.type.partition("_")[0] if "declaration" in value.type or value.type == "class" else "function"
    return Declaration(kind, name, _find_body(value)) if name is not None else None


def _find_value(node: Node) -> Node | None:
    for field in ("value", "right", "expression"):
        child = node.child_by_field_name(field)
        if child is not None:
            return _first_value(child)
    return _first_value(node.named_children[-1]) if node.named_child_count > 1 else None


def _first_value(value: Node) -> Node:
    """Return the first value of a list of values, as in Go and Lua."""
    return value.named_children[0] if value.type == "expression_list" and value.named_child_count else value


def _unwrap_call(call: Node) -> Node | None:
    """Return the function that is the first argument of a plain call, such as a wrapper."""
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if callee is None or arguments is None or callee.type != "identifier" or not arguments.named_child_count:
        return None
    first = arguments.named_children[0]
    return first if first.start_point[0] != first.end_point[0] else None


def _parse_macro_call(node: Node) -> Declaration | None:
    target = node.child_by_field_name("target")
    kind = target.text.decode() if target is not None and target.type == "identifier" and target.text else ""
    if not ELIXIR.fullmatch(kind):
        return None
    arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    name = find_first_name(arguments) if arguments is not None else None
    return Declaration(kind, name, _find_body(node)) if name is not None else None


def _parse_test_call(node: Node) -> Declaration | None:
    """Return the test or the group of tests of ``describe("title", () => {...})``."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is not None and callee.type == "call_expression":  # it.each(rows)("title", ...)
        callee = callee.child_by_field_name("function")
    if callee is None or arguments is None or callee.type not in ("identifier", "member_expression"):
        return None
    match = TEST.fullmatch((callee.text or b"").decode("utf-8", "replace"))
    argument_nodes = arguments.named_children
    if match is None or len(argument_nodes) < 2 or argument_nodes[0].type not in ("string", "template_string"):
        return None
    last = next((argument for argument in reversed(argument_nodes) if VALUE.fullmatch(argument.type)), None)
    return Declaration(match[1], argument_nodes[0], _find_body(last)) if last is not None else None


def _find_declared(node: Node) -> Node | None:
    """Return the node below pointers and references that a C declaration declares."""
    wrong = next((child for child in node.named_children if child.type == "ERROR"), None)
    inner = next(iter(wrong.named_children), None) if wrong is not None else None
    if inner is None or inner.type != "function_declarator":  # else an annotation follows: f() REQUIRES(lock)
        inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type in ("pointer_declarator", "reference_declarator"):
        inner = inner.child_by_field_name("declarator") or next(iter(inner.named_children), None)
    return inner


def _parse_prototype(node: Node) -> Declaration | None:
    """Return the function that a C declaration declares without a body."""
    inner = _find_declared(node)
    if inner is None or inner.type != "function_declarator":
        return None
    name = inner.child_by_field_name("declarator")
    kind = "prototype" if node.type == "declaration" else "method"
    return Declaration(kind, name, None) if name is not None and NAME.fullmatch(name.type) else None


def _find_body(node: Node) -> Node | None:
    """Return the body of a definition, which its signature omits."""
    for field in ("body", "match", "accessors", "declarations"):
        child = node.child_by_field_name(field)
        if child is not None:
            return child if child.type != "ordered_field_declaration_list" else None
    if node.type == "type_alias_declaration":
        value = node.child_by_field_name("value")
        return value if value is not None and value.type == "object_type" else None
    for child in node.named_children:
        if BLOCK.fullmatch(child.type):
            return child
    kind = node.child_by_field_name("type")
    return _find_body(kind) if kind is not None and kind.type in ("struct_type", "interface_type") else None
