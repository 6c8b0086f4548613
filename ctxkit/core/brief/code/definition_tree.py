"""The tree of nested definitions, with ranks for outlines that are short of space."""

from collections.abc import Sequence

from ctxkit.core.brief.document import Definition
from ctxkit.core.quick_dataclass import dataclass, field

INNER_RANK = 1_000_000
"""First rank of definitions inside functions, after all other definitions."""
TYPELIKE = ("actor", "class", "data", "enum", "interface", "mixin", "protocol", "record", "struct", "trait", "type")
SCOPES = ("defimpl", "defmodule", "defprotocol", "extension", "impl", "instance", "mod", "module", "namespace")
TESTS = ("describe", "context", "suite", "it", "test", "specify")
OTHER_CONTAINERS = (
    "abstract type",
    "architecture",
    "baremodule",
    "block",
    "class create",
    "contract",
    "entity",
    "implementation",
    "input",
    "keyframes",
    "library",
    "media",
    "message",
    "mutable struct",
    "namespace eval",
    "oneof",
    "package",
    "program",
    "role",
    "service",
    "section",
    "stage",
    "structure",
    "submodule",
    "type alias",
    "unit",
)
CONTAINERS = frozenset((*TYPELIKE, *SCOPES, *TESTS, *OTHER_CONTAINERS, "object", "union"))
"""Kinds with members, not code, inside them."""
NAMED_KINDS = frozenset(
    (
        "add",
        "arg",
        "cmd",
        "copy",
        "entrypoint",
        "env",
        "expose",
        "healthcheck",
        "label",
        "run",
        "user",
        "volume",
        "workdir",
        "aggregate",
        "database",
        "domain",
        "event",
        "extension",
        "index",
        "policy",
        "procedure",
        "schema",
        "sequence",
        "table",
        "trigger",
        "view",
        "data",
        "module",
        "moved",
        "output",
        "provider",
        "resource",
        "variable",
        "directive",
        "enum",
        "fragment",
        "interface",
        "mutation",
        "query",
        "rpc",
        "scalar",
        "subscription",
        "union",
    )
)
"""Kinds that a label includes, because the name alone says too little."""
UNCALLABLE_KINDS = frozenset(
    (
        "binding", "cell", "const", "declaration", "label", "macro", "mixin", "pattern", "process", "recipe", "rule",
        "state", "target", "task", "test", "var",
    )
)
"""Kinds that are not called with parentheses."""


@dataclass
class DefinitionNode:
    """Hold a definition and its nested definitions."""

    definition: Definition
    children: list["DefinitionNode"] = field(default_factory=list)
    rank: int = 0

    @property
    def is_container(self) -> bool:
        """Return whether the definition contains members, not code."""
        return self.definition.kind in CONTAINERS

    @property
    def is_test(self) -> bool:
        """Return whether the definition is a test."""
        return self.definition.name.lower().startswith("test")


def build_tree(definitions: Sequence[Definition]) -> list[DefinitionNode]:
    """Return the definitions at the top level, with the others nested and ranked."""
    tops: list[DefinitionNode] = []
    around: list[DefinitionNode] = []
    for definition in definitions:
        node = DefinitionNode(definition)
        del around[definition.depth :]
        (around[-1].children if around else tops).append(node)
        around.append(node)
    _rank_nodes(tops)
    return tops


def _rank_nodes(tops: list[DefinitionNode]) -> None:
    """Rank nested definitions: members of the longest classes first, then tests, then definitions inside functions.

    The members of one class share a rank, so that they are shown or hidden together: each gap costs a line.
    """
    level = [node for node in tops if node.children]
    rank = 1
    depth = 0
    while level:
        depth += 1
        level.sort(key=lambda node: (not node.is_container, node.is_test, node.definition.start - node.definition.end))
        for node in level:
            for child in node.children:
                inner = child.is_container and bool(child.children) and depth == 1
                child.rank = 0 if inner else rank if node.is_container else INNER_RANK + depth
            rank += 1
        level = [child for node in level for child in node.children if child.children]
    _lift_classes(tops)


def _lift_classes(nodes: Sequence[DefinitionNode], inside: bool = False) -> bool:
    """Give classes inside functions, and the definitions around them, the rank of top-level classes."""
    lifted = False
    for node in nodes:
        if _lift_classes(node.children, inside or not node.is_container) or (inside and node.is_container):
            node.rank, lifted = 0, True
    return lifted
