"""Trees of YAML with line numbers, from the events of PyYAML's parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ctxkit.core.brief.data.data_nodes import DataNode, set_list_value, set_mapping_value
from ctxkit.core.brief.data.scalars import parse_scalar
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.json_value import JsonValue

if TYPE_CHECKING:
    from yaml import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

TEMPLATE = compile_lazily(r"\s*(?:\{\{|\{%)")
"""Pattern of lines of a template engine, such as Helm's."""
OTHER_BREAKS = str.maketrans("\r\x85\u2028\u2029", "    ")
"""Characters at which YAML ends a line, and ctxkit does not."""
MAX_DEPTH = 60
"""Maximum number of levels; what is nested deeper has no value."""
MAX_REPEATS = 20
"""Maximum number of repeated keys that are stored."""
LONG_TEXT = 5
"""Minimum lines of a text that is stored as a block."""


@dataclass(slots=True)
class YamlContent:
    """Hold the documents of a YAML text, with statistics and the place and the reason of its end before the last line.

    Of the ``repeats``, there is the line, the key and the line where the key stands first. ``loose_lines`` is the
    number of lines that continue a value without quotes or a block: prose has them.
    """

    documents: list[DataNode] = field(default_factory=list)
    problem: tuple[int, str] | None = None
    repeats: list[tuple[int, str, int]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    aliases: int = 0
    templates: int = 0
    loose_lines: int = 0
    pairs: int = 0
    blocks: list[tuple[int, int, str]] = field(default_factory=list)


def read_yaml(lines: Sequence[str]) -> YamlContent:
    """Return the content of a YAML text, as far as it is YAML; lines of a template are read as if they were empty."""
    import yaml

    content = YamlContent()
    sound_lines = [line.removesuffix("\r").translate(OTHER_BREAKS) for line in lines]
    for at, line in enumerate(sound_lines):
        if TEMPLATE.match(line):
            content.templates += 1
            sound_lines[at] = ""
    text = "\n".join(sound_lines)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _TreeBuilder(content, sound_lines)
    methods = builder.methods
    try:
        for event in yaml.parse(text.encode("utf-8", "replace"), Loader=loader):
            method = methods.get(type(event))
            if method:
                method(event)
    except yaml.reader.ReaderError as error:
        content.problem = text.count("\n", 0, error.position) + 1, error.reason
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        content.problem = min(mark.line + 1 if mark else 1, max(len(lines), 1)), error.problem or error.context or ""
    builder.close()
    return content


class _TreeBuilder:
    """Builds the trees of documents from events in their order."""

    def __init__(self, content: YamlContent, lines: Sequence[str]) -> None:
        import yaml

        self._content = content
        self._lines = lines
        self._parents: list[tuple[DataNode, dict[str, int] | None]] = []
        """The open nodes from the outermost, a mapping with the lines of its keys."""
        self._key: DataNode | None = None
        """The pair whose value comes next."""
        self._skipped = 0
        """The number of open collections that have no node: keys, and what is nested too deeply."""
        self._scalars: dict[str, JsonValue] = {}
        self.methods: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._add_scalar,
            yaml.MappingStartEvent: partial(self._open_node, is_mapping=True),
            yaml.SequenceStartEvent: partial(self._open_node, is_mapping=False),
            yaml.MappingEndEvent: self._end_collection,
            yaml.SequenceEndEvent: self._end_collection,
            yaml.AliasEvent: self._add_alias,
        }
        """What is done with an event of each type."""

    def close(self) -> None:
        """Close all nodes that are open: the text ended before them."""
        while self._parents:
            self._close_node()

    def _open_node(self, event: CollectionStartEvent, *, is_mapping: bool) -> None:
        line = event.start_mark.line + 1
        is_skipped = self._skipped or self._expects_key() or len(self._parents) >= MAX_DEPTH
        if is_skipped:
            self._skipped += 1
        if not is_skipped or self._skipped == 1:
            node = self._add_value(line, line, None, event.anchor)
            if not is_skipped:
                self._parents.append((node, {} if is_mapping else None))
                self._key = None

    def _end_collection(self, event: CollectionEndEvent) -> None:
        del event  # its place is that of the next line with content
        if self._skipped:
            self._skipped -= 1
        else:
            self._close_node()

    def _add_scalar(self, event: ScalarEvent) -> None:
        if self._skipped:
            return
        text, style, last = event.value, event.style, len(self._lines)
        start, end = min(event.start_mark.line + 1, last), min(event.end_mark.line + 1, last)
        value: JsonValue = text
        if not style:
            self._content.loose_lines += end - start + (not self._parents and " " in text)
            value = text if self._expects_key() else parse_scalar(text)
        elif style in "|>":
            end = self._find_block_end(start, min(end, event.end_mark.line + bool(event.end_mark.column)))
            if end - start >= LONG_TEXT:
                self._content.blocks.append((start + 1, end, text.lstrip().partition("\n")[0]))
        if event.anchor:
            self._scalars[event.anchor] = value
        self._add_value(start, end, value, event.anchor)

    def _find_block_end(self, start: int, end: int) -> int:
        """Return the last line of a block that is not blank."""
        while end > start and not self._lines[end - 1].strip():
            end -= 1
        return end

    def _add_alias(self, event: AliasEvent) -> None:
        if not self._skipped:
            self._content.aliases += 1
            line = event.start_mark.line + 1
            self._add_value(line, line, self._scalars.get(event.anchor, f"*{event.anchor}"), None)

    def _expects_key(self) -> bool:
        return self._key is None and bool(self._parents) and self._parents[-1][1] is not None

    def _add_value(self, start: int, end: int, value: JsonValue, anchor: str | None) -> DataNode:
        """Add a key, or the value of the last key, an element or a document; return its node."""
        if anchor:
            self._content.anchors.setdefault(anchor, start)
        node = self._key
        if node is not None:
            node.start, node.end, node.value, self._key = start, end + 1, value, None
            return node
        if not self._parents:
            node = DataNode(None, start, start, end + 1, value)
            self._content.documents.append(node)
            return node
        parent, keys = self._parents[-1]
        if keys is None:
            node = DataNode(None, start, start, end + 1, value)
        else:
            key = value if isinstance(value, str) else "?"
            self._content.pairs += 1
            first = keys.setdefault(key, start)
            if first != start and key not in ("<<", "?") and len(self._content.repeats) < MAX_REPEATS:
                self._content.repeats.append((start, key, first))
            node = self._key = DataNode(key, start, start, start + 1)
        parent.children.append(node)
        return node

    def _close_node(self) -> None:
        """Close the innermost open node: it ends with its last member."""
        node, keys = self._parents.pop()
        self._key = None
        if node.children:
            node.end = max(node.end, node.children[-1].end)
        if keys is None:
            set_list_value(node)
        else:
            set_mapping_value(node)
