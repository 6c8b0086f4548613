"""Define which node types of syntax trees are definitions, bodies, holders and values, and find names in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
    r"(?:\w+_)?(?:block|body|declarations|definitions)|(?:\w*declaration|enumerator|accessor|variant)_list|compound_statement"
)
"""Nodes that are the body of a definition in grammars without a body field."""
HOLDER = re.compile(
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
SCRIPTS = ("javascript", "typescript", "tsx")
TEST = re.compile(r"[fx]?(describe|context|suite|it|test|specify)(?:\.\w+)*")
"""Functions whose calls, with a title and a function, are tests in JavaScript."""
MISREAD = ("class", "struct", "union", "enum", "namespace")
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
