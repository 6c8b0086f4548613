"""What is fuzzed: the entry points of core, each with what must hold of its answer whatever it is given."""

import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from bench.fuzz.conversations import make_conversation
from ctxkit.app.services import engines
from ctxkit.core.errors import CtxkitError
from ctxkit.core.text import lines
from ctxkit.core.tokens.vocabulary import Vocabulary, find_vocabulary

_CONTROLS = (*range(9), *range(11, 32), *range(0x7F, 0xA0))
_DIRECTIONS = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
INERT = dict.fromkeys((*_CONTROLS, *_DIRECTIONS), None)
"""Characters that a map leaves out of what it quotes."""
BLANKS = {9: "    "}
"""What some maps write for a tab; what they leave out is counted likewise."""

COLUMNS = re.compile(r"^## (?:\S.* table: )?Columns.*\n(?:- .*\n)*", re.MULTILINE)
"""The section of a map that is about the columns of a table."""
LINK = re.compile(r'"parent(?:Uuid|Id)":\s*(?:null|"(?:[^"\\]|\\.)*")')
"""The name of the entry before a message, which changes where that entry leaves."""
REPAIRS = 3
"""Repairs after which a conversation is whole, however broken it was."""


class BrokenPropertyError(AssertionError):
    """Say that an answer is not what it must be."""


def require(truth: object, what: str) -> None:
    """Raise BrokenPropertyError unless something holds."""
    if not truth:
        raise BrokenPropertyError(what)


class Target(NamedTuple):
    """Hold an entry point: what it is called, what runs it, and the beginnings of the names of seeds that suit it.

    ``make`` makes whole valid inputs beside the mutated ones.
    """

    name: str
    run: Callable[[Random, bytes], None]
    seeds: tuple[str, ...] = ("",)
    weight: int = 1
    make: Callable[[Random], bytes] | None = None


@cache
def counter(name: str) -> tuple[Vocabulary, Callable[[str], int]]:
    """Return a vocabulary and what counts with it."""
    vocabulary = find_vocabulary(name)
    return vocabulary, engines.load_tokenizer(vocabulary)


@cache
def store() -> Any:
    """Return a store in the directories of this run."""
    from ctxkit.engines.local_store import LocalStore

    root = tempfile.mkdtemp(prefix="ctxkit-fuzz-")
    return LocalStore(os.path.join(root, "cache"), os.path.join(root, "data"), _silent)


def _silent(message: str) -> None:
    del message


def _text(data: bytes) -> str:
    from ctxkit.core.tokens.token_count import decode_content

    return decode_content(data)


# --- maps


class BriefOptions(NamedTuple):
    """Hold the options of a map: vocabulary, target in tokens, the file's name, content type and focus."""

    tokenizer: str
    target: int
    name: str
    content_type: str
    focus: str


def brief_options(random: Random) -> BriefOptions:
    """Return the options of a map; the same salt gives the same options."""
    from ctxkit.core.brief import kind_detection

    tokenizer = random.choice(("qwen3", "qwen3", "bytes/3", "estimate"))
    content_type = random.choice(kind_detection.list_content_types()) if random.random() < 0.5 else ""
    name = random.choice(("", "", "a.py", "x.json", "AGENTS.md", "out.log", "a.tar.gz", "p.yaml", "t.csv"))
    focus = random.choice(("", "", "", "error parse", "src/parser.py", "("))
    return BriefOptions(tokenizer, random.choice((5, 40, 150, 600, 2000)), name, content_type, focus)


def _drawings(line: str) -> str:
    """Return a line as a map may show it: without its carriage returns, and each drawing of it apart."""
    from bench.claims import unescape
    from ctxkit.core.text.escapes import strip_escapes

    rows = line.translate({13: None}), *line.split("\r")
    drawn = [unescape(strip_escapes(row).translate(INERT)) for row in rows]
    return "\r".join((*drawn, *(row.translate(BLANKS) for row in drawn if "\t" in row)))


def run_brief(random: Random, data: bytes) -> None:
    """Map content of a detected or a named kind: within its target, true to the source, and the same each time."""
    from bench.claims import claims, draw, lines_of, unescape, wrong
    from ctxkit.core.gate.briefing import BriefingServices, make_briefing
    from ctxkit.core.gate.briefing_messages import BriefingRequest
    from ctxkit.core.store.store_interface import StoredContent
    from ctxkit.core.text.retrieval_hint import PRESETS, Hint

    options = brief_options(random)
    vocabulary, count = counter(options.tokenizer)
    held_lines = lines.lines_from_bytes(data)
    ref = sha256(data).hexdigest()
    stored_content = StoredContent(ref, "/cache/x*", held_lines.read, held_lines)
    hint = Hint(PRESETS["ctxkit"], ref[:12], "/cache/x*", "log")
    order = BriefingRequest(options.target, "log", hint, options.name, options.content_type, focus=options.focus)
    services = BriefingServices(vocabulary, count, engines.find_definitions)
    briefing, again = (make_briefing(stored_content, order, services) for _ in range(2))
    require(briefing == again, "the same input gives two maps")
    if briefing.briefing is None:
        return
    require("map failed" not in briefing.briefing.doubt, briefing.briefing.doubt)
    size = count(briefing.briefing.text)
    require(size <= order.target, f"{size} tokens of {order.target}, {briefing.briefing.kind}")
    text = COLUMNS.sub("", briefing.briefing.text)  # a column may have a number for its name
    source = [_drawings(line) for line in lines_of(_text(draw(data)))]
    statements = claims(unescape(text.translate(INERT)))
    statements.quotes = [quote for quote in statements.quotes if " invisible]" not in quote[1]]  # a run is only counted
    faults = list(wrong(statements, source))
    require(not faults, f"{briefing.briefing.kind}: {'; '.join(faults[:2])}")


def run_sniff(random: Random, data: bytes) -> None:
    """Ask every kind whether content is its own: none fails, and each answers with a share."""
    from ctxkit.core.brief import kind_detection
    from ctxkit.core.brief.document import InputDocument

    vocabulary, count = counter("bytes/3")
    del vocabulary
    result = lines.lines_from_bytes(data)
    document = InputDocument(
        result, result.read, count, 600, random.choice(("", "a.py", "x.json")), "", engines.find_definitions
    )
    for kind in kind_detection.all_kinds():
        share = kind.sniff(document)
        require(0.0 <= share <= 1.0, f"{kind.NAME} is {share} sure")


def run_gate(random: Random, data: bytes) -> None:
    """Gate content twice: within the room, nothing lost, and a map passes as it is."""
    from ctxkit.core.gate.decision import GatePolicy, GateServices
    from ctxkit.core.gate.gate_content import gate_content
    from ctxkit.core.text.limits import call_directly
    from ctxkit.core.text.retrieval_hint import PRESETS, Hint
    from ctxkit.core.tokens.budget import Budget

    vocabulary, count = counter("qwen3")
    window = random.choice((60, 300, 1500, 6000))
    terms = GatePolicy(Budget(window, window // 5, 0), vocabulary, Hint(PRESETS["ctxkit"], name="log"))
    services = GateServices(lambda _: count, store, engines.find_definitions, call_directly)
    result = gate_content([data], terms, services)
    require(not result.warning or result.result == "refused", result.warning)
    out = b"".join(result.content)
    if result.result in ("raw", "tight"):
        require(out == data, "content that fits is changed")
        return
    require(count(_text(out)) <= terms.target, "a map is over its target")
    file = store().open(store().find(result.ref)) if result.ref else None
    if file is not None:
        require(file.read(0, file.lines.size) == data, "what is stored is not what came")
    if result.result == "briefing":
        again = gate_content([out], terms, services)
        require(b"".join(again.content) == out, "gate(gate(x)) is not gate(x)")


# --- conversations


def _order(count: Callable[[str], int]) -> Any:
    from ctxkit.core.count.amount import CountOptions

    return CountOptions(find_vocabulary("o200k"), count, engines.parse_json, "", True)


def run_chat(random: Random, data: bytes) -> None:
    """Read a conversation: the same bytes go out, and what is repaired is sound."""
    from ctxkit.core.chat.branches import apply_change
    from ctxkit.core.chat.reading.transcript import parse_transcript
    from ctxkit.core.chat.validity.invariants import find_breaches
    from ctxkit.core.chat.validity.repair import repair_conversation

    try:
        transcript = parse_transcript(data, "chat", skip_bad=random.random() < 0.3)
    except CtxkitError:
        return
    require(transcript.encode(transcript.text) == data, "reading and writing changes bytes")
    for before, after in zip(transcript.records, transcript.records[1:], strict=False):
        require(before.end <= after.start, "entries overlap")
    wrong = {breach.rule for breach in find_breaches(transcript)}
    named = _is_named(transcript)
    mended = transcript
    for _ in range(REPAIRS):
        repair = repair_conversation(mended)
        if not repair.actions:
            break
        text = mended.encode(apply_change(mended, repair.change))
        try:
            mended = parse_transcript(text, "mended", transcript.format, skip_bad=bool(transcript.bad))
        except CtxkitError:
            require(transcript.bad, "what was repaired cannot be read")
            return
    else:
        require(not named, "what was repaired is repaired again")
    left = {breach.rule for breach in find_breaches(mended)} - {"alternation", "opening"}  # who speaks is not repaired
    require(not named or left <= wrong, f"a repair breaks {sorted(left - wrong)}")


def _is_named(transcript: Any) -> bool:
    """Tell whether all that refers to something names it: calls have ids, and entries of a tree ids and parents."""
    links = [record.link for record in transcript.records if record.link]
    named = all(link.id for link in links) and len({link.id for link in links}) == len(links)
    named = named and all(link.parent for link in links[1:])  # else what goes before an entry changes with its place
    return named and all(call.id for record in transcript.records for call in record.calls)


def run_compact(random: Random, data: bytes) -> None:
    """Compact a conversation, sometimes by what a model might write: valid, no larger, restorable, stable."""
    from ctxkit.core.chat.branches import find_active_path
    from ctxkit.core.chat.reading.transcript import parse_transcript
    from ctxkit.core.chat.validity.invariants import find_breaches
    from ctxkit.core.compact.manifest import build_manifest, read_original, restore_original
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.compact.services import CompactionContext, TokenCounter, make_summary_writer
    from ctxkit.core.compact.trigger import compact_if_due
    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import store_content

    try:
        before = parse_transcript(data, "chat")
    except CtxkitError:
        return
    vocabulary, count = counter("o200k")
    window = random.choice((300, 800, 2048))
    policy = CompactionPolicy(window, window // 5, force=random.random() < 0.4)
    page = _page(random)
    write = (
        make_summary_writer("fuzz", lambda _: page, _silent, strict=True)
        if random.random() < 0.3
        else make_summary_writer("extract", None, _silent)
    )
    balance = TokenCounter(vocabulary, count, "", before.format.PROVIDER)
    outcome = compact_if_due(before, data, policy, CompactionContext(balance, write))
    after = parse_transcript(outcome.content, "out", before.format)
    if outcome.result != "compacted":
        require(outcome.content == data, f"{outcome.result}, but changed")
        return
    wrong = {breach.rule for breach in find_breaches(before)}
    new = {breach.rule for breach in find_breaches(after)} - wrong
    if outcome.repairs:  # who speaks is not repaired
        new -= {"alternation", "opening"}
    require(not new or not _is_named(before), f"a compaction breaks {sorted(new)}")
    larger = balance.count_transcript(after).amount.high > balance.count_transcript(before).amount.high
    require(not larger or outcome.repairs, "a compaction makes it larger")  # what was missing takes room
    require(outcome.stored and outcome.stored[0].data == data, "the original is not stored")
    manifest = build_manifest(outcome, before, data, "chat")
    require(read_original(manifest, "m").sha256 == sha256(data).hexdigest(), "the manifest leads elsewhere")
    for content in outcome.stored:
        store_content(store(), (content.data,), Label())
    restored = b"".join(restore_original(read_original(manifest, "m"), store(), "m"))
    require(restored == data, "what is restored is not the original")
    known = {LINK.sub("", before.get_raw(record)) for record in before.records}
    kept = [LINK.sub("", after.get_raw(after.records[at])) for at in find_active_path(after)]
    changed = sum(raw not in known for raw in kept)
    allowed = len({at for at, _ in outcome.plan.edits()}) + 6 + 2 * len(outcome.repairs)
    require(changed <= allowed, f"{changed} messages are written anew, {allowed} were to be")


def _page(random: Random) -> str:
    """Return what a model might write in place of a summary."""
    from bench.fuzz.corpus import seed_named
    from bench.fuzz.mutation import mutate

    page = seed_named("context-md")
    return mutate(random, page, seed_named("chat-openai")).decode("utf-8", "replace")


def run_edit(random: Random, data: bytes) -> None:
    """Take messages out of a conversation, and bring them back byte for byte."""
    from ctxkit.core.chat.reading.transcript import parse_transcript
    from ctxkit.core.edit.edit import MessageEdit, edit_conversation, undo_edit
    from ctxkit.core.edit.numbered_conversation import list_messages, list_tasks, number_messages
    from ctxkit.core.store.label import Label
    from ctxkit.core.text.quantity import PositionRange

    try:
        result = number_messages(parse_transcript(data, "chat"), _order(counter("o200k")[1]))
    except CtxkitError:
        return
    list_tasks(result)
    list_messages(result)
    first = random.randint(1, max(len(result.path), 1))
    span = PositionRange(first, random.randint(first, first + 4))
    text = random.choice((None, None, "Words that stand for it."))
    try:
        outcome = edit_conversation(result, MessageEdit(span, text, random.random() < 0.7), store(), Label("chat"))
    except CtxkitError:
        return
    parse_transcript(outcome.data, "edited", result.transcript.format)
    if outcome.data != data:
        back, _ = undo_edit(outcome.data, store(), outcome.ref)
        require(back == data, "an edit that is undone does not give back what was")


def run_count(random: Random, data: bytes) -> None:
    """Count content of any kind: the ends stand around the count, and lines add up to no less."""
    from ctxkit.core.count.amount import TextCounter
    from ctxkit.core.count.content import count_content, count_lines

    order = _order(counter("o200k")[1])
    cut = random.randrange(len(data) + 1)
    try:
        content = count_content([data[:cut], data[cut:]], "x", order)
    except CtxkitError:
        return
    require(content.amount.low <= content.amount.tokens <= content.amount.high, f"no order in {content.amount}")
    require(content.size == len(data), f"{content.size} bytes of {len(data)}")
    require(sum(1 for _ in count_lines([data], TextCounter(order.vocabulary, order.count))) >= 0, "")


def run_usage(random: Random, data: bytes) -> None:
    """Read what answers say of themselves: numbers that are no less than nothing."""
    from ctxkit.core.usage.answer import build_report, format_report
    from ctxkit.core.usage.finder import find_answers, read_values

    try:
        answers = find_answers(read_values(data, engines.parse_json, "x"))
    except CtxkitError:
        return
    if not answers:
        return
    report = build_report(answers)
    total = report["context_total"]
    require(total is None or total >= 0, f"{total} tokens in context")
    format_report(report)


# --- JSON, settings, secrets


def run_positions(random: Random, data: bytes) -> None:
    """Find the parts of a JSON text: each part read alone is what the whole says it is."""
    import json

    from ctxkit.core.text.json_path import parse_path, select_values
    from ctxkit.core.text.positions import (
        InvalidJsonError,
        JsonMember,
        JsonPositions,
        JsonTooDeepError,
        decode_partial,
        decode_value,
    )

    text = data.decode("utf-8", "surrogateescape")
    try:
        value, _ = decode_value(text, 0)
    except (InvalidJsonError, JsonTooDeepError):
        if text[:1] in ("{", "["):
            with suppress(JsonTooDeepError):
                decode_partial(text, 0)
        value = None
    places = JsonPositions(text)
    members = places.members(0) if isinstance(value, dict | list) else []
    for member in members[:20]:
        part = json.loads(text[member.start : member.end], strict=False)
        if isinstance(value, list) and isinstance(member.key, int):
            require(_same(part, value[member.key]), "an element is another one")
        require(places.line(member.start) == text.count("\n", 0, member.start) + 1, "a line is another one")
        require(isinstance(member, JsonMember), "no member")
    path = random.choice((".", ".a", ".items[0]", ".[]", ".[-1:]", ".messages[].content", ".[2].x"))
    try:
        for _ in select_values([data], parse_path(path)):
            pass
    except (CtxkitError, ValueError) as error:
        require(isinstance(error, CtxkitError), f"{path}: {type(error).__name__}: {error}")


def _same(value: Any, other: Any) -> bool:
    return value == other or value != value or repr(value) == repr(other)


def run_settings(random: Random, data: bytes) -> None:
    """Read the user's own settings: what is wrong is named, and the rest holds."""
    from ctxkit.edge import settings
    from ctxkit.edge import user_dirs as places

    path = places.settings_file()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    result = settings.load({}, os.path.dirname(path), lambda error: None)
    for key in settings.KEYS:
        result.lookup(key)
    result.window(random.choice(("", "my-model")))


def run_lint(random: Random, data: bytes) -> None:
    """Lint a workspace of some files: findings lie in their files, and what is mended stays so."""
    from ctxkit.core.lint.lint_settings import LintSettings
    from ctxkit.core.lint.loading.assemble import ProjectListing, WorkspaceOptions, assemble_workspace
    from ctxkit.core.lint.run import LintOptions, collect_findings, fix_all

    names = (
        "AGENTS.md", "MEMORY.md", "CLAUDE.md", ".cursor/rules/a.mdc", "skills/a/SKILL.md", "memory/2026-01-01.md",
        "SOUL.md",
    )
    pieces = random.randint(1, 3)
    cuts = sorted(random.randrange(len(data) + 1) for _ in range(pieces - 1))
    parts = [data[start:end] for start, end in zip((0, *cuts), (*cuts, len(data)), strict=True)]
    files = dict(zip(random.sample(names, pieces), parts, strict=True))
    workspace = assemble_workspace(
        ProjectListing(sorted(files)), files.get, lambda text: len(text.split()), WorkspaceOptions()
    )
    job = LintOptions(LintSettings(select=("ALL",)))
    documents = {document.path: document for document in workspace.documents}
    for finding in collect_findings(workspace, job):
        total = documents[finding.path].text.count("\n") + 1 if finding.path in documents else 0
        require(
            1 <= finding.line <= max(total, 1) and finding.line <= finding.end_line,
            f"{finding.code} on line {finding.line} of {total}",
        )
    unsafe = random.random() < 0.5
    size = sum(len(document.text) for document in workspace.documents)
    for run in range(8):  # one takes ten passes at most; what gets smaller with each ends at some time
        result = fix_all(workspace, job, unsafe=unsafe)
        before, size = size, sum(len(document.text) for document in result.workspace.documents)
        if [document.text for document in result.workspace.documents] == [
            document.text for document in workspace.documents
        ]:
            break
        require(run < 4 or size < before, "mending never ends")
        workspace = result.workspace


def run_secrets(random: Random, data: bytes) -> None:
    """Mask secrets twice: nothing is left to mask."""
    from ctxkit.core.lint.rules.secrets import mask_text

    once = mask_text(data.decode("utf-8", "replace"))
    require(mask_text(once) == once, "what was masked is masked again")


def run_page(random: Random, data: bytes) -> None:
    """Read a summary's template: what is written of it reads as the same."""
    from ctxkit.core.summary.model_summarizer import strip_answer
    from ctxkit.core.summary.template import parse_page, render_page

    text = data.decode("utf-8", "replace")
    page = parse_page(strip_answer(text))
    if page is not None:
        once = parse_page(render_page(page))
        require(
            once is not None and parse_page(render_page(once)) == once, "a page that is written and read is another one"
        )


CHATS = ("chat-", "json", "jsonl")
TARGETS = (
    Target("brief", run_brief, weight=8),
    Target("sniff", run_sniff, weight=3),
    Target("gate", run_gate, weight=2),
    Target("chat", run_chat, CHATS, weight=3, make=make_conversation),
    Target("compact", run_compact, CHATS, weight=6, make=make_conversation),
    Target("edit", run_edit, CHATS, weight=3, make=make_conversation),
    Target("count", run_count, (*CHATS, "usage", "detect"), weight=1),
    Target("usage", run_usage, ("usage", "chat-"), weight=1),
    Target("positions", run_positions, ("json", "chat-", "har", "package", "notebook", "sarif"), weight=1),
    Target("settings", run_settings, ("toml", "yaml", "ini"), weight=1),
    Target("lint", run_lint, ("workspace", "markdown", "prose", "detect", "context", "secrets"), weight=3),
    Target("secrets", run_secrets, ("secrets", "workspace", "toml", "log"), weight=1),
    Target("page", run_page, ("context", "markdown", "workspace"), weight=1),
)
"""Every target by its name; a heavier one runs more often."""
