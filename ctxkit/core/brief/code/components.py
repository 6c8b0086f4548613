"""Vue, Svelte and Astro files: their script, template and style blocks, with the definitions in each."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.code.definition_finder import find_definitions
from ctxkit.core.brief.document import Definition, InputDocument
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace

COMPONENTS = frozenset(("vue", "svelte", "astro"))
OPENING = compile_lazily(r"<(script|template|style|i18n|docs)\b([^>]*)>\s*(.*)")
FENCE = compile_lazily(r"---\s*")
LANG = compile_lazily(r"""lang(?:uage)?=["']?(?:text/)?(\w+)""")
LANGUAGE = {"ts": "typescript", "tsx": "tsx", "jsx": "javascript", "js": "javascript", "typescript": "typescript"}


def find_blocks(document: InputDocument) -> list[Definition]:
    """Return the top-level blocks, each followed by its definitions."""
    texts = document.lines.texts()
    return [part for block in _find_blocks(texts) for part in (block, *_find_definitions(block, texts, document))]


def _find_blocks(texts: Sequence[str]) -> Iterator[Definition]:
    """Yield each block, from its opening to its closing tag."""
    number = 1
    while number <= len(texts):
        text = texts[number - 1].rstrip()
        opening = OPENING.match(text)
        fence = number == 1 and FENCE.fullmatch(text)
        if not opening and not fence:
            number += 1
            continue
        word = opening[1] if opening else "script"
        closing = re.compile(rf".*</{word}\s*>" if opening else r"---\s*$")
        after = number if opening and f"</{word}" not in text else number + (not opening)
        end = next((at for at in range(after, len(texts) + 1) if at != number and closing.match(texts[at - 1])), 0)
        if opening and f"</{word}" in text:
            end = number
        signature = " ".join(text.split())[:160] if opening else "---"
        yield Definition(word, "block", number, end or len(texts), 0, signature)
        number = (end or len(texts)) + 1


def _find_definitions(block: Definition, texts: Sequence[str], document: InputDocument) -> Iterator[Definition]:
    """Yield the definitions in a script or style block, with their lines in the file."""
    closed = texts[block.end - 1].rstrip() == "---" or f"</{block.name}" in texts[block.end - 1]
    inner = texts[block.start : block.end - closed]
    named = LANG.search(block.signature)
    if block.name == "script":
        language = LANGUAGE.get(named[1] if named else "", "typescript" if block.signature == "---" else "javascript")
        definitions = document.parse("\n".join(inner).encode("utf-8", "replace"), language)
        if not definitions:
            definitions = find_definitions(enumerate(inner, 1), language)
    elif block.name == "style":
        definitions = find_definitions(enumerate(inner, 1), "scss")
    else:
        definitions = ()
    for definition in definitions:
        yield replace(
            definition,
            start=definition.start + block.start,
            end=definition.end + block.start,
            depth=definition.depth + 1,
        )
