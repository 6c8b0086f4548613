"""The signatures of definitions and the fields of types, quoted in a section of their own."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.code.definition_tree import DefinitionNode
from ctxkit.core.brief.document import Definition
from ctxkit.core.brief.outline import Entry, Section

SIGNATURE_RANK = 2_000_000
"""First rank of signatures."""
TITLE = "Key signatures"
NARROW = 160
"""Maximum number of characters of a signature in the shortest section."""
FIELD_WIDTHS = (400, 240, 120)
"""Maximum number of characters of the fields of a type, from the most detailed section to the shortest."""
BY_SIGNATURE = frozenset(("impl", "extension", "instance", "defimpl", "block"))
"""Kinds whose name alone says too little: ``impl Display for Config``."""
COMMA_LANGUAGES = ("rust", "zig")
"""Languages that separate fields with commas; others end them with semicolons or lines."""


def make_signature_sections(tree: Sequence[DefinitionNode], language: str) -> tuple[Section, Section, Section]:
    """Return whole signatures with docstrings, whole signatures, and signatures cut to a common width."""
    ordered = [definition for _, definition in sorted(_find_signatures(tree, False), key=lambda pair: pair[0])]
    explained, whole, narrow = (
        Section(TITLE, tuple(_make_entries(ordered, language, level)), "signatures") for level in range(3)
    )
    return explained, whole, narrow


def _make_entries(definitions: Sequence[Definition], language: str, level: int) -> Iterator[Entry]:
    """Yield an entry for each signature; public ones at the top level come first."""
    for order, definition in enumerate(definitions):
        label = definition.signature
        if level == 2 and len(label) > NARROW:
            label = f"{label[:NARROW].rstrip()}..."
        label += format_fields(definition, language, FIELD_WIDTHS[level])
        if level == 0 and definition.doc:
            label = f"{label} \u2014 {definition.doc}"
        yield Entry(label, definition.start, definition.start, SIGNATURE_RANK + order)


def format_fields(definition: Definition, language: str, width: int) -> str:
    """Return `` { model: String, ... }`` with the fields that fit into ``width`` characters, or nothing."""
    if not definition.fields:
        return ""
    separator = ", " if language in COMMA_LANGUAGES or definition.kind == "enum" else "; "
    shown: list[str] = []
    left = width
    for field in definition.fields:
        left -= len(field) + len(separator)
        if left < 0 and shown:
            shown.append("...")
            break
        shown.append(field)
    return f" {{ {separator.join(shown)} }}"


def _find_signatures(nodes: Sequence[DefinitionNode], private: bool) -> Iterator[tuple[tuple[bool, int], Definition]]:
    """Yield definitions with a useful signature and their sort keys; local definitions of functions are left out."""
    for node in nodes:
        definition = node.definition
        hidden = private or node.is_test or (definition.name.startswith("_") and definition.name != "__init__")
        if _has_telling_signature(definition):
            yield (hidden, definition.depth), definition
        if node.is_container:
            yield from _find_signatures(node.children, hidden)


def _has_telling_signature(definition: Definition) -> bool:
    """Return whether the signature says more than the kind and the name."""
    known = definition.kind in BY_SIGNATURE or definition.signature.endswith(f"{definition.kind} {definition.name}")
    return bool(definition.fields) or (not known and definition.signature not in ("", definition.name))
