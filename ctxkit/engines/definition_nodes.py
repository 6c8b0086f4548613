"""Define which node types of syntax trees are definitions, bodies, holders and values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

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
