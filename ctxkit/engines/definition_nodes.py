"""Recognize the nodes of a syntax tree that define something, with their name and body."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

NOUN = re.compile(
    r"(?:abstract_|annotation_|class_|compact_|constant_|conversion_|factory_|generator_|internal_|local_|protocol_"
    r"|redirecting_|singleton_)*"
    r"(function|method|class|struct|enum|interface|trait|impl|mod|module|namespace|object|protocol|mixin|constructor"
    r"|destructor|record|union|extension|macro|type|typealias|alias|init|deinit|subscript|operator|indexer|delegate"
    r"|getter|setter|given|subroutine)"
    r"(?:_(?:definition|declaration|item|specifier|spec|statement|signature|alias|interface|implementation))+"
)
"""Matches node types of definitions: the kind of definition, then a word such as definition or declaration."""
LANGUAGE_NOUNS = {
    "c": {"preproc_function_def": "macro"},
    "cpp": {"preproc_function_def": "macro"},
    "csharp": {"property_declaration": "property"},
    "css": {"rule_set": "rule", "media_statement": "media", "keyframes_statement": "keyframes"},
    "go": {"method_elem": "method", "type_declaration": ""},
    "haskell": {"data_type": "data", "type_synonym": "type"}
    | {word: word for word in ("bind", "class", "function", "instance", "newtype", "signature")},
    "hcl": {"block": "block"},
    "javascript": {"class": "class"},
    "kotlin": {"companion_object": "object", "secondary_constructor": "constructor"},
    "make": {"rule": "rule", "define_directive": "macro"},
    "objc": {"preproc_function_def": "macro"},
    "ocaml": {
        "constructor_declaration": "",
        "let_binding": "let",
        "module_binding": "module",
        "type_binding": "type",
    },
    "ruby": {"class": "class", "method": "method", "module": "module", "singleton_method": "method"},
    "scala": {"package_object": "object"},
    "sql": {f"create_{word}": word for word in ("function", "index", "table", "trigger", "type", "view")},
    "tsx": {"class": "class", "internal_module": "namespace", "module": "module"},
    "typescript": {"class": "class", "internal_module": "namespace", "module": "module"},
}
"""Node types that define something in one language but often not in another; "" if they do not."""
BODIED = re.compile(r"\w+_specifier|mod_item|namespace_definition")
"""Node types that define only with a body: ``struct x *p`` is a use, ``mod x;`` an import."""
BLOCK = re.compile(
    r"(?:\w+_)?(?:block|body|declarations|definitions)|(?:\w*declaration|enumerator|accessor|variant)_list"
    r"|compound_statement"
)
"""Nodes that are the body of a definition in grammars without a body field."""
_HOLDER = re.compile(
    r"variable_declarator|variable_declaration|(?:public_)?field_definition|assignment(?:_\w+)?|pair|field|\w+_spec"
    r"|init_declarator|property_declaration|binding"
)
"""Nodes that bind a value to a name."""
VALUE = re.compile(
    r"arrow_function|(?:generator_)?function(?:_expression|_definition)?|func_literal|lambda_(?:expression|literal)"
    r"|anonymous_function|class|(?:struct|enum|union|opaque|error_set)_declaration"
)
"""Values that make their binding a definition."""
ELIXIR = re.compile(r"def(?:p|macrop?|guardp?|delegate|module|protocol|impl)?")
"""Macros whose calls are definitions in Elixir."""
_SCRIPTS = ("javascript", "typescript", "tsx")
TEST = re.compile(r"[fx]?(describe|context|suite|it|test|specify)(?:\.\w+)*")
"""Functions whose calls, with a title and a function, are tests in JavaScript."""
_MISREAD = ("class", "struct", "union", "enum", "namespace")
WORDS = frozenset(
    (
        "class",
        "struct",
        "enum",
        "extension",
        "actor",
        "interface",
        "trait",
        "protocol",
        "object",
        "record",
        "union",
    )
)
"""Keywords that name the kind of a class-like node more exactly."""
NAME = re.compile(
    r"(?:\w+_)?(?:identifier|name|constant|word|alias|path)|bareword|operator_name|selectors|targets|keyword_query"
)
"""Nodes that are a name in grammars without a name field."""
_NAME_CONTAINERS = re.compile(r"arguments|binary_operator|call|call_expression|object_reference|signature|type_head")
"""Nodes that may contain a name."""
_KEYWORDS = {
    "companion_object": "companion",
    "deinit_declaration": "deinit",
    "indexer_declaration": "this",
    "init_declaration": "init",
    "operator_declaration": "operator",
    "secondary_constructor": "constructor",
    "subscript_declaration": "subscript",
}
"""Keywords that replace the name of a definition without one."""


def _find_last_label(block: Node) -> Node | None:
    """Return the last label of a block such as ``resource "kind" "name" {``."""
    return next((c for c in reversed(block.named_children) if c.type in ("string_lit", "identifier")), None)


_NAME_FIELDS = ("name", "property", "key", "attrpath", "pattern")
"""Fields of a definition that may hold its name, the likeliest first."""


def find_name(node: Node) -> Node | None:
    """Return the node of a definition's name: a field, else the declarator chain, else the first identifier."""
    keyword = _KEYWORDS.get(node.type)
    if keyword:
        return next((child for child in node.children if child.type == keyword), None)
    if node.type == "block":
        return _find_last_label(node)
    named = filter(None, map(node.child_by_field_name, _NAME_FIELDS))
    if (child := next(named, None)) is not None:
        return child
    left = node.child_by_field_name("left")
    if left is not None:
        return left.child_by_field_name("property") or left
    if node.type == "impl_item":
        kind = node.child_by_field_name("type")
        return (kind.child_by_field_name("type") or kind) if kind is not None else None
    return None if node.type in ("function", "class") else find_declarator(node) or find_first_name(node)


def find_declarator(node: Node) -> Node | None:
    """Return the innermost declarator, such as ``f`` in ``*(*f)(int)``."""
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None and inner.type.endswith("_declarator"):
            deeper = next(iter(inner.named_children), None)
        if deeper is None:
            return inner
        inner = deeper
    return None


def find_first_name(node: Node) -> Node | None:
    """Return the first name among the children, or inside the first child that may contain one."""
    inner: Node | None = node
    while inner is not None:
        for child in inner.named_children:
            if NAME.fullmatch(child.type):
                return child
        inner = next((child for child in inner.named_children if _NAME_CONTAINERS.fullmatch(child.type)), None)
    return None


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
    return _HOLDER.fullmatch(node_type) is not None


def find_declaration(node: Node, language: str) -> Declaration | None:
    """Return the declaration at ``node``, or None if it defines nothing."""
    noun = _find_noun(node.type, language)
    if noun:
        return _parse_definition(node, noun)
    if _is_holder(node.type):
        return _parse_assignment(node)
    if node.type == "call" and language == "elixir":
        return _parse_macro_call(node)
    if node.type == "call_expression" and language in _SCRIPTS:
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
    return word if word in _MISREAD else ""


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
