"""Source code: its definitions with line ranges, then the signatures."""

from collections.abc import Iterator, Sequence
from functools import partial

from ctxkit.core.brief.code.definition_tree import (
    NAMED_KINDS,
    UNCALLABLE_KINDS,
    DefinitionNode,
    build_tree,
    format_name,
    make_compact_sections,
    make_signature_sections,
)
from ctxkit.core.brief.code.minified import STYLE_BYTES, build_minified_outlines, is_minified, is_style_sheet
from ctxkit.core.brief.code.regions import CodeRegion, find_regions
from ctxkit.core.brief.document import Clues, Definition, InputDocument, MissingGrammar
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import count_outline_tokens, render_outline
from ctxkit.core.languages.detection import language_of_text
from ctxkit.core.languages.language_names import LANGUAGES, language_of_header, language_of_name, language_of_shebang
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.limits import DEFINITION_SPACE, DEFINITIONS

NAME = "source"
TYPES: Sequence[str] = tuple(LANGUAGES)
CLUES = Clues(unless_log=True)
MAX_PARSED_BYTES = 4_000_000
"""Maximum size in bytes of content that is parsed."""
MAX_MATCHED_BYTES = 32_000_000
"""Maximum size in bytes of content that is searched with patterns."""
FRAME_TOKENS = 150
"""Tokens reserved for the frame around an outline."""
TITLE = "Structure"
SHORTEST_REGION = 8
"""Minimum number of lines of a region between definitions in a lean outline; imports are always listed."""
TOP = 20
"""Number of lines searched for a notice that the file is generated."""
GENERATED = compile_lazily(
    r"(?i)^\s*(?://|#|/?\*|--|;|%|<!--|\"\"\").*(?:@generated\b|\bcode generated\b|\bdo not (?:edit|modify)\b"
    r"|auto-?generated"
    r"|automatically generated|\bgenerated (?:by|from)\b)"
)
GRAMMARS = {"starlark": "python"}
"""Languages parsed with the grammar of a larger language."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the document is source code, from its name, its first line or its words."""
    if "\0" in document.head:
        return 0.0
    named = language_of_name(document.name, document.head)
    if named == "template":
        return 0.55  # another kind may recognize the language of the template
    if named and not document.head.lstrip().startswith(("<?xml", "<!DOCTYPE")):
        return 0.9
    if language_of_shebang(document.head.partition("\n")[0]):
        return 0.9
    if is_minified(document) and is_style_sheet(document.head[:STYLE_BYTES].encode()):
        return 0.9
    confidence = language_of_text(document.head)[1]
    return confidence if not document.suffix else min(confidence, 0.6)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines from signatures with docstrings down to bare names, or None if there are no definitions."""
    language = _detect_language(document)
    if is_minified(document):
        return build_minified_outlines(document, NAME)
    most = max(DEFINITIONS, document.lines.size // DEFINITION_SPACE)
    definitions, title = _find_definitions(document, language, most)
    if not definitions or len(definitions) > most:
        return None
    texts = document.lines.texts() if document.lines.size <= MAX_PARSED_BYTES else []
    tree = build_tree(definitions)
    around = list(find_regions(texts, [node.definition for node in tree])) if texts else []
    explained, whole, signatures = make_signature_sections(tree, language)
    full = Section(title, tuple(_make_entries(tree, around)), "definitions")
    lean = Section(title, tuple(_make_lean_entries(tree, [r for r in around if _is_worth_naming(r)])), "definitions")
    is_roomy = _fits_target(document, lean, None)
    shapes: list[tuple[Section, ...]] = [(full, explained), (full, whole), (full, signatures), (lean, signatures)]
    imports = [region for region in around if region.kind == "imports"][:1]
    leanest = Section(title, tuple(_make_lean_entries(tree, imports)), "definitions")
    if is_roomy:
        shapes.append((leanest, signatures))
    else:
        fits = partial(_fits_frame, document)
        shapes.extend((section,) for section in make_compact_sections(title, leanest.entries, tree, fits))
    above = (Section("", tuple(_find_generated_notice(texts)), "lines"), _make_conflict_section(texts))
    return [Outline(NAME, (*above, *shape), language, urgent=not is_roomy) for shape in shapes]


def _find_definitions(document: InputDocument, language: str, most: int) -> tuple[list[Definition], str]:
    """Return the definitions, parsed or else matched by pattern, and the title that says which."""
    from ctxkit.core.brief.code.definition_finder import find_definitions

    definitions = parsed = _parse_definitions(document, language)
    title = TITLE
    if not definitions and document.lines.size <= MAX_MATCHED_BYTES:
        definitions = find_definitions(document.lines.enumerate_lines(), language, most)
        title = f"{TITLE} ({_explain_heuristic(parsed)})"
    total = document.lines.total
    return [item for item in definitions or () if 1 <= item.start <= item.end <= total], title


def _make_conflict_section(texts: Sequence[str]) -> Section:
    from ctxkit.core.brief.code.regions import find_conflicts

    conflicts = tuple(conflict.make_entry() for conflict in find_conflicts(texts))
    return Section("Conflicts that a merge left", conflicts, "conflicts")


def _find_generated_notice(texts: Sequence[str]) -> Iterator[Entry]:
    """Yield the line near the top that says that a program generated the file."""
    for number, text in enumerate(texts[:TOP], 1):
        if GENERATED.search(text):
            yield quote(number, text, width=120)
            return


def _detect_language(document: InputDocument) -> str:
    if document.content_type in LANGUAGES:
        return document.content_type
    first = document.head.partition("\n")[0]
    named = language_of_name(document.name, document.head)
    if document.suffix == "h" and named == "c":
        return language_of_header(document.head)
    return named or language_of_shebang(first) or language_of_text(document.head)[0]


def _parse_definitions(document: InputDocument, language: str) -> Sequence[Definition] | None:
    if not language or document.lines.size > MAX_PARSED_BYTES:
        return None
    return document.parse(document.read(0, document.lines.size), GRAMMARS.get(language, language))


def _explain_heuristic(parsed: Sequence[Definition] | None) -> str:
    """Return why definitions are matched by pattern, with the package that would parse them if it is not installed."""
    if isinstance(parsed, MissingGrammar):
        return f"heuristic: matched by pattern; {parsed.package} is not installed"
    return "heuristic: matched by pattern, not parsed"


def _is_worth_naming(region: CodeRegion) -> bool:
    return region.kind == "imports" or region.end - region.start + 1 >= SHORTEST_REGION


def _fits_target(document: InputDocument, section: Section, admitted: set[int] | None) -> bool:
    """Return whether a section, or its admitted entries, leaves enough tokens for the frame around it."""
    text = render_outline(Outline(NAME, (section,)), lambda _outline, body, _quoted: body, admitted)
    return document.count(text) < document.target - FRAME_TOKENS


def _fits_frame(document: InputDocument, section: Section) -> bool:
    """Return whether a section fits into the target with the shortest frame."""
    return count_outline_tokens(Outline(NAME, (section,)), document) <= document.target - document.frame_tokens


def _make_dense_entry(node: DefinitionNode) -> Entry:
    definition = node.definition
    children = tuple(_make_dense_entry(child) for child in node.children)
    return Entry(format_name(node), definition.start, definition.end, node.rank, dense=True, children=children)


def _merge_by_line(tree: Sequence[DefinitionNode], around: Sequence[CodeRegion]) -> list[DefinitionNode | CodeRegion]:
    """Return definitions and the regions between them, in line order."""

    def get_line(item: DefinitionNode | CodeRegion) -> int:
        return item.start if isinstance(item, CodeRegion) else item.definition.start

    return sorted([*tree, *around], key=get_line)


def _make_entries(tree: Sequence[DefinitionNode], around: Sequence[CodeRegion]) -> Iterator[Entry]:
    """Yield an entry for everything at the top level; members are dense entries below their class."""
    for item in _merge_by_line(tree, around):
        if isinstance(item, CodeRegion):
            yield Entry(item.format_label(), item.start, item.end)
            continue
        plain = item.is_container or item.definition.kind in NAMED_KINDS or item.definition.kind in UNCALLABLE_KINDS
        label = format_name(item) if plain else f"{item.definition.name}()"
        children = tuple(_make_dense_entry(child) for child in item.children)
        yield Entry(label, item.definition.start, item.definition.end, children=children)


def _make_lean_entries(tree: Sequence[DefinitionNode], around: Sequence[CodeRegion]) -> Iterator[Entry]:
    """Yield dense entries in line order, with fewer names for each region."""
    for item in _merge_by_line(tree, around):
        yield (
            Entry(item.format_label(4), item.start, item.end)
            if isinstance(item, CodeRegion)
            else _make_dense_entry(item)
        )
