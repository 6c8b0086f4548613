"""Definitions inside each other, in the order in which a map that is short of room takes them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ctxkit.core.brief.document import Definition

INSIDE = 1_000_000
"""Rank from which definitions inside functions enter, after everything else that is defined."""
TYPELIKE = ("actor", "class", "data", "enum", "interface", "mixin", "protocol", "record", "struct", "trait", "type")
SCOPES = ("defimpl", "defmodule", "defprotocol", "extension", "impl", "instance", "mod", "module", "namespace")
TESTS = ("describe", "context", "suite", "it", "test", "specify")
DECLARED = (
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
CONTAINERS = frozenset((*TYPELIKE, *SCOPES, *TESTS, *DECLARED, "object", "union"))
"""Kinds whose members stand below them; anything else is code."""
NOUNS = frozenset(
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
"""Kinds that a map names: without one, the name says too little."""
UNCALLED = frozenset(
    (
        "binding", "cell", "const", "declaration", "label", "macro", "mixin", "pattern", "process", "recipe", "rule",
        "state", "target", "task", "test", "var",
    )
)
"""Kinds that nobody calls with parentheses."""


@dataclass
class Node:
    """Hold a definition and those inside it."""

    definition: Definition
    children: list["Node"] = field(default_factory=list)
    rank: int = 0

    @property
    def contains(self) -> bool:
        """Tell whether members stand in it, rather than code."""
        return self.definition.kind in CONTAINERS

    @property
    def tests(self) -> bool:
        """Tell whether it tests the rest of the file."""
        return self.definition.name.lower().startswith("test")


def nested(found: Sequence[Definition]) -> list[Node]:
    """Return the definitions at the top level, the others below them, each with its rank."""
    tops: list[Node] = []
    around: list[Node] = []
    for one in found:
        node = Node(one)
        del around[one.depth :]
        (around[-1].children if around else tops).append(node)
        around.append(node)
    _rank(tops)
    return tops


def _rank(tops: list[Node]) -> None:
    """Rank what is below the top level: members of the longest classes first, then tests, then what functions hold.

    The members of one class share a rank, so that they are shown or left out together: each gap costs a line.
    """
    level = [node for node in tops if node.children]
    rank = 1
    depth = 0
    while level:
        depth += 1
        level.sort(key=lambda node: (not node.contains, node.tests, node.definition.start - node.definition.end))
        for node in level:
            for child in node.children:
                inner = child.contains and bool(child.children) and depth == 1
                child.rank = 0 if inner else rank if node.contains else INSIDE + depth
            rank += 1
        level = [child for node in level for child in node.children if child.children]
    _lift(tops)


def _lift(nodes: Sequence[Node], inside: bool = False) -> bool:
    """Rank classes that stand inside functions, and what they stand in, with the classes at the top level."""
    lifted = False
    for node in nodes:
        if _lift(node.children, inside or not node.contains) or (inside and node.contains):
            node.rank, lifted = 0, True
    return lifted


def surface(node: Node) -> Node | None:
    """Return a definition without macros and without what functions hold, None when it is a macro itself."""
    if node.definition.kind == "macro":
        return None
    kept = [child for child in node.children if child.rank < INSIDE]
    return replace(node, children=[child for child in map(surface, kept) if child])


def size(node: Node) -> int:
    """Return how many definitions there are in one, itself included."""
    return 1 + sum(map(size, node.children))
