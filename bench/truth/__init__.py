"""Statements of maps that are not so: every number, range, label and quotation held against the input."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from bench.claims import draw
from bench.doors import VOCABULARY
from bench.figure import Figure
from bench.place import Place
from bench.truth.check import check_map, count_statements
from ctxkit.app.services import engines
from ctxkit.core.gate.briefing import BriefingServices, make_briefing
from ctxkit.core.gate.briefing_messages import BriefingRequest
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary

SUITE = "truth"
TARGETS = (2_000, 600)
CORPORA = ("fresh", "tool_outputs")
LARGEST = 2_000_000
"""Bytes of an input that is mapped."""


class Input(NamedTuple):
    """Name an input and its file."""

    name: str
    path: Path


def figures(place: Place) -> Iterator[Figure]:
    """Yield, for each target, how many statements are not so."""
    inputs = list(find_inputs(place))
    if not inputs:
        yield Figure(SUITE, "inputs", "skipped", notes=("there are no corpora; --inputs names a directory",))
        return
    for target in TARGETS:
        yield _check_inputs(inputs[:: 10 if place.quick else 1], target)


def find_inputs(place: Place) -> Iterator[Input]:
    """Yield the files named `input` below the directories, and the tool outputs of the corpora."""
    folders = [Path(folder) for folder in place.folders]
    if not folders and place.corpora:
        folders = [Path(place.corpora) / name for name in CORPORA]
    for folder in folders:
        cases = sorted(folder.rglob("input")) or sorted(path for path in folder.rglob("*") if path.is_file())
        for path in cases:
            if path.stat().st_size <= LARGEST:
                name = path.relative_to(folder)
                yield Input(str(name.parent if path.name == "input" else name), path)


def _check_inputs(inputs: list[Input], target: int) -> Figure:
    notes: list[str] = []
    total = maps = 0
    for item in inputs:
        data = item.path.read_bytes()
        text = make_map(data, target)
        maps += bool(text)
        total += count_statements(text)
        notes += [f"{item.name} at {target}: {statement}" for statement in check_map(text, draw(data))]
    what = f"statements not so in {maps} maps of {target:,} tokens"
    return Figure(SUITE, what, f"{len(notes)} of {total:,}", target="0", ok=not notes, notes=notes)


def make_map(data: bytes, target: int) -> str:
    """Return the map of piped content, empty if none fits."""
    return make_typed_map(data, target)[0]


def make_typed_map(data: bytes, target: int, content_type: str = "") -> tuple[str, str]:
    """Return the map of piped content, and the name of its kind; both empty if none fits.

    The type of the content is detected if it is not given.
    """
    vocabulary, tokenizer = _tokenizer()
    indexed = lines.lines_from_bytes(data)
    ref = sha256(data).hexdigest()
    stored = StoredContent(ref, "/cache/x", indexed.read, indexed)
    hint = Hint(PRESETS["ctxkit"], ref[:12], "/cache/x", "stdin")
    request = BriefingRequest(target, "stdin", hint, content_type=content_type)
    services = BriefingServices(vocabulary, tokenizer, engines.find_definitions)
    briefing = make_briefing(stored, request, services).briefing
    return (briefing.text, briefing.kind) if briefing else ("", "")


@cache
def _tokenizer() -> tuple[Vocabulary, Tokenizer]:
    from bench.fuzz.targets import counter

    return counter(VOCABULARY)
