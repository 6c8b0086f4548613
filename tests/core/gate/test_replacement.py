"""What has the form of a map of stored content passes a full window; what only names a ref does not."""

import hashlib
import json
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.errors import LockedError, NotStoredError
from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
from ctxkit.core.gate.gate_content import check_fit, gate_content
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.text import lines
from ctxkit.core.text.limits import call_directly
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.conftest import Run
from tests.example_counts import count_examples

tokenizer = cache(tokens.load_tokenizer)
LINES = b"".join(b"line %d of the build says nothing\n" % number for number in range(1, 3001))


class MemoryIntake:
    """Take content into memory; fail with ``error`` at the write, or the commit, that is asked for."""

    def __init__(self, store: "MemoryStore") -> None:
        self._store = store
        self._taken: list[bytes] = []
        self.size = 0

    def write(self, chunk: bytes) -> None:
        if self._store.fail_at == f"write {len(self._taken) + 1}":
            raise self._store.error
        self._taken.append(chunk)
        self.size += len(chunk)

    def commit(self, label: Label) -> str:
        if self._store.fail_at == "commit":
            raise self._store.error
        data = b"".join(self._taken)
        ref = hashlib.sha256(data).hexdigest()
        self._store.held[ref] = data
        self._store.labels[ref] = label
        return ref

    def replay(self) -> Iterator[bytes]:
        yield from self._taken

    def abandon(self) -> None:
        self._store.abandoned += 1


class MemoryStore:
    """Hold content in memory."""

    place = "memory"

    def __init__(self, fail_at: str = "", error: Exception | None = None) -> None:
        self.fail_at = fail_at
        self.error = error or OSError(28, "No space left on device", "/cache/taking/1")
        self.held: dict[str, bytes] = {}
        self.labels: dict[str, Label] = {}
        self.abandoned = 0

    def open_writer(self) -> MemoryIntake:
        if self.fail_at == "intake":
            raise self.error
        return MemoryIntake(self)

    def find(self, prefix: str) -> str:
        found = [ref for ref in self.held if ref.startswith(prefix)]
        if not found:
            raise NotStoredError(f"nothing is stored under {prefix}")
        return found[0]
    def has_ref(self, ref: str) -> bool:
        return ref in self.held

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        if self.fail_at == "open":
            raise self.error
        found = lines.lines_from_bytes(self.held[ref])
        return StoredContent(ref, f"/cache/{shorten_ref(ref)}*", found.read, found)


def terms_of(window: int, vocabulary: str = "qwen3", **more) -> GatePolicy:
    used = more.pop("used", 0)
    return GatePolicy(Budget(window, 0, used), find_vocabulary(vocabulary), Hint(PRESETS["ctxkit"], name="log"), **more)


def engines_of(store: MemoryStore | None) -> GateServices:
    return GateServices(tokenizer, None if store is None else lambda: store, parse_nothing, call_directly)  # type: ignore[return-value]


def bytes_of(admission: GateResult) -> bytes:
    return b"".join(admission.content)


def chunked(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.slow
def test_what_does_not_fit_is_stored_and_mapped_within_half_the_room() -> None:
    store = MemoryStore()
    admission = gate_content(chunked(LINES, 1000), terms_of(4000, label=Label("log", "sh")), engines_of(store))
    (ref,) = store.held
    text = bytes_of(admission).decode()
    assert (admission.result, admission.ref, store.held[ref]) == ("briefing", ref, LINES)
    assert store.labels[ref] == Label("log", "sh")
    assert admission.token_count.tokens == tokenizer(find_vocabulary("qwen3"))(text) <= 2000
    assert text.startswith("# log (3,000 lines, ")
    assert shorten_ref(ref) in text.rstrip("\n").rpartition("\n")[2]
    assert (admission.size, admission.lines) == (len(LINES), 3000)
    assert admission.warning == ""


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("limit", [200, 300, 1000])
def test_a_limit_caps_what_this_call_admits(limit: int) -> None:
    store = MemoryStore()
    admission = gate_content([LINES], terms_of(200_000, limit=limit), engines_of(store))
    assert admission.result == "briefing"
    assert tokenizer(find_vocabulary("qwen3"))(bytes_of(admission).decode()) <= limit


def test_a_full_window_refuses_with_the_envelope_and_still_stores() -> None:
    store = MemoryStore()
    admission = gate_content([LINES], terms_of(4000, used=4000), engines_of(store))
    (ref,) = store.held
    assert (admission.result, bytes_of(admission), admission.ref) == ("refused", b"", ref)
    assert admission.warning == f"stdin (3,000 lines, {len(LINES) // 1024:.0f} KB): ctxkit cache get {shorten_ref(ref)}"
    assert admission.warning.count("\n") == 0


def test_without_a_store_both_ends_are_kept_and_the_gap_is_named() -> None:
    admission = gate_content(chunked(LINES, 999), terms_of(1000, label=Label("log")), engines_of(None))
    text = bytes_of(admission).decode()
    assert (admission.result, admission.ref) == ("briefing", "")
    assert admission.token_count.tokens == tokenizer(find_vocabulary("qwen3"))(text) <= 500
    assert "are not shown and not stored]" in text
    assert "\nline 1 of the build" in text
    assert text.endswith("line 3000 of the build says nothing\n")
    assert (admission.size, admission.lines) == (len(LINES), 3000)


def test_without_a_store_and_without_room_nothing_goes_in() -> None:
    admission = gate_content([LINES], terms_of(1000, used=1000), engines_of(None))
    assert (admission.result, bytes_of(admission)) == ("refused", b"")
    assert "nothing may be stored" in admission.warning


@pytest.mark.parametrize(
    "data",
    [b"\xff\n" * 3000, ("héllo 漢字\n" * 1000).encode("utf-16"), b"ok\r\n\xc3\n" * 2000],
    ids=["bytes", "utf16", "cr"],
)
def test_without_a_store_the_size_is_still_that_of_the_content(data) -> None:
    admission = gate_content(chunked(data, 1001), terms_of(1000), engines_of(None))
    assert admission.size == len(data)


def test_without_a_store_utf16_is_clipped_as_the_text_that_it_is() -> None:
    data = ("héllo\n漢字 ਊ\n" * 500).encode("utf-16")
    text = bytes_of(gate_content(chunked(data, 1001), terms_of(1000), engines_of(None))).decode()
    assert text.startswith("# stdin (1,000 lines,")
    assert "héllo\n漢字 ਊ\n" in text
    assert "\ufffd" not in text


def test_without_a_store_memory_is_not_filled_by_the_input() -> None:
    def endless():
        for _ in range(300):
            yield b"line\n" * 10_000

    assert gate_content(endless(), terms_of(300), engines_of(None)).lines == 3_000_000


FAILURES = ["intake", "write 1", "write 2", "write 4", "commit"]


@pytest.mark.parametrize(
    "error", [None, LockedError("locked"), ValueError("odd"), UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no")]
)
@pytest.mark.parametrize("fail_at", FAILURES)
@pytest.mark.parametrize("size", [7_000, len(LINES)])
def test_a_store_that_fails_lets_the_content_pass_byte_for_byte_with_a_warning(fail_at: str, error, size) -> None:
    store = MemoryStore(fail_at, error)
    if fail_at.startswith("write") and int(fail_at[-1]) > -(-len(LINES) // size):
        return
    admission = gate_content(chunked(LINES, size), terms_of(4000), engines_of(store))
    if admission.result == "briefing":  # what is read ahead comes as one chunk, so there may be fewer writes
        assert fail_at.startswith("write")
        return
    assert admission.result == "raw"
    assert bytes_of(admission) == LINES
    assert admission.warning.startswith("content passes unchanged: ")
    assert "\n" not in admission.warning
    assert store.abandoned == (fail_at != "intake")


@settings(max_examples=count_examples(60), deadline=None)
@given(st.binary(min_size=200, max_size=500), st.integers(1, 200), st.integers(1, 9))
def test_whatever_write_fails_no_byte_is_lost_or_doubled(data: bytes, size: int, failing: int) -> None:
    store = MemoryStore(f"write {failing}")
    admission = gate_content(chunked(data, size), terms_of(20, "bytes/3"), engines_of(store))
    if not store.held:
        assert bytes_of(admission) == data


@pytest.mark.parametrize("fail_at", FAILURES[:3] + FAILURES[-1:])
def test_a_store_that_fails_under_strict_terms_raises_and_leaves_nothing(fail_at) -> None:
    store = MemoryStore(fail_at)
    with pytest.raises(OSError, match="No space left"):
        gate_content(chunked(LINES, 700), terms_of(4000, strict=True), engines_of(store))
    assert store.abandoned == (fail_at != "intake")


def test_a_store_that_cannot_be_reached_lets_the_content_pass() -> None:
    def unreachable():
        raise ConnectionError("no route to host")

    admission = gate_content([LINES], terms_of(4000), GateServices(tokenizer, unreachable, parse_nothing, call_directly))
    assert bytes_of(admission) == LINES
    assert "no route to host" in admission.warning


@pytest.mark.parametrize("fail_at", ["open"])
def test_content_that_is_stored_but_cannot_be_mapped_is_named(fail_at: str) -> None:
    store = MemoryStore(fail_at)
    admission = gate_content([LINES], terms_of(4000, label=Label("log"), preface=lambda: "exit status 2"), engines_of(store))
    (ref,) = store.held
    assert bytes_of(admission).decode().startswith("exit status 2; log (")
    assert bytes_of(admission).decode().endswith(f"ctxkit cache get {shorten_ref(ref)}\n")
    assert admission.warning.startswith("no map could be made")
    with pytest.raises(OSError, match="No space left"):
        gate_content([LINES], terms_of(4000, strict=True), engines_of(MemoryStore(fail_at)))


@pytest.mark.slow
def test_a_preface_is_asked_for_only_once_the_content_has_ended() -> None:
    ended = []

    def source():
        yield LINES
        ended.append(True)

    def preface():
        assert ended
        return "exit status 1"

    admission = gate_content(source(), terms_of(4000, preface=preface), engines_of(MemoryStore()))
    assert bytes_of(admission).startswith(b"exit status 1\n# ")


@pytest.mark.slow
@settings(max_examples=count_examples(40), deadline=None)
@given(
    st.lists(st.text(alphabet='ab é漢\t{}[]":,#1', max_size=60), min_size=30, max_size=120),
    st.integers(300, 900),
    st.sampled_from(["qwen3", "claude", "llama2", "bytes/3"]),
    st.none() | st.integers(1, 400),
    st.sampled_from(["utf-8", "utf-16"]),
    st.sampled_from([0, 0.5, 0.95, 0.98, 1]),
    st.booleans(),
    st.booleans(),
)
def test_gating_twice_is_gating_once_and_what_goes_in_is_within_its_room(
    rows: list[str], window: int, vocabulary: str, limit, codec: str, share: float, admits: bool, stores: bool
) -> None:
    data = "\n".join(rows).encode(codec)
    available = window if share in (0.95, 0.98) else window // 2  # so that some of it fits a window that is blocked
    used = round(available * share / (1 - share)) if share < 1 else window
    terms = terms_of(available + used, vocabulary, used=used, limit=limit, ignore_hard_block=admits)
    engines = engines_of(MemoryStore() if stores else None)
    fitted = check_fit(chunked(data, 77), terms, engines).fits
    first = gate_content(chunked(data, 77), terms, engines)
    once = bytes_of(first)
    assert fitted == (first.result in ("raw", "tight"))
    assert first.token_count.tokens <= terms.budget.allowance(limit)
    if first.result in ("briefing", "refused"):
        assert first.token_count.tokens <= terms.budget.briefing_target(limit)
    again = gate_content(chunked(once, 50), terms, engines)
    assert bytes_of(again) == once
    assert again.result in (("raw", "tight") if stores else ("raw", "tight", "briefing"))


@pytest.mark.slow
@settings(max_examples=count_examples(25), deadline=None)
@given(st.integers(1, 3000), st.integers(1, 3000))
def test_the_same_input_gives_the_same_output_however_it_is_chunked(first: int, second: int) -> None:
    data = LINES[:20_000]
    pages = {
        bytes_of(gate_content(chunked(data, size), terms_of(1500), engines_of(MemoryStore()))) for size in (first, second)
    }
    assert len(pages) == 1


class Vanishing(MemoryStore):
    """Lose content as soon as it is opened, or before."""

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        found = super().open(ref)
        self.held.clear()
        self.fail_at = self.then
        return found

    then = ""


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, True])
def test_content_that_vanishes_while_it_is_mapped_is_stored_again(early: bool) -> None:
    store = Vanishing(*(["open", NotStoredError("gone")] if early else []))
    admission = gate_content([LINES], terms_of(4000, label=Label("log")), engines_of(store))
    assert admission.result == "briefing"
    assert store.held == {admission.ref: LINES}
    assert store.labels[admission.ref] == Label("log")


@pytest.mark.slow
@pytest.mark.parametrize("fail_at", ["intake", "write 1", "commit"])
def test_content_that_vanishes_and_cannot_be_stored_again_passes(fail_at: str) -> None:
    store = Vanishing()
    store.then = fail_at
    admission = gate_content(chunked(LINES, 1000), terms_of(4000), engines_of(store))
    assert (admission.result, bytes_of(admission)) == ("raw", LINES)
    assert admission.warning == "content passes unchanged: No space left on device: /cache/taking/1"


SMALL = ("--window", "10000", "--reserve", "0", "--tokenizer", "qwen3")
FULL = (*SMALL, "--used", "9820")


@pytest.fixture
def ref(run: Run) -> str:
    done = run("cache", "put", stdin="".join(f"entry {number}\n" for number in range(500)))
    return done.out.decode().strip()


@pytest.mark.parametrize(
    "text",
    [
        "{ref}",
        "ignore what is full\n{ref}",
        "ignore what is full\nTo read a part: ctxkit cache get {ref} --lines 1:2",
        "# x: a map, not the content\n\nTo read a part: ctxkit cache get {ref} --lines 1:2",
        "# x (499 lines, 3 tokens): a map, not the content\n\nTo read a part: ctxkit cache get {ref} --lines 1:2",
        "# x (500 lines, 3 tokens): a map, not the content\n\n{ref}",
        "# x (500 lines): a map, not the content\n" + "- 1: much text of it\n" * 17 + "\nTo read a part: ctxkit cache get {ref}",
    ],
)
def test_content_that_names_a_ref_does_not_pass_the_hard_block(run: Run, ref: str, text: str) -> None:
    content = text.format(ref=ref)
    done = run("gate", *FULL, "--json", stdin=content)
    assert json.loads(done.out)["result"] != "tight", done.out
    assert run("gate", *FULL, "--check", stdin=content).status == 1


@pytest.mark.parametrize("options", [("--hint", "sed"), ("--hint", "read_result"), ("--name", "a (3 lines) of b"), ()])
def test_a_map_passes_it(run: Run, options: tuple[str, ...]) -> None:
    full = ("--window", "100000", "--reserve", "0", "--tokenizer", "qwen3", "--used", "98500")
    page = run("gate", *full, *options, stdin="".join(f"entry {number}\n" for number in range(2000))).out
    assert b"a map, not the content" in page
    again = json.loads(run("gate", *full, "--json", stdin=page).out)
    assert (again["result"], again["content"].encode()) == ("tight", page)


def test_a_part_of_stored_content_does_not_pass_it_either(run: Run, ref: str) -> None:
    part = ("cache", "get", ref, "--lines", "1:3", "--gate")
    assert run(*part, *SMALL, "--used", "9000").out == b"entry 0\nentry 1\nentry 2\n"
    done = run(*part, *FULL)
    assert (done.status, done.out) == (1, b"")
    assert "the window is full: 9,820 of 10,000 tokens are used" in done.err
    assert run("session", "new", "s", *SMALL[:4]).status == 0
    assert run("session", "reset", "s", "--used", "9820").status == 0
    done = run(*part, "--session", "s")
    assert (done.status, done.out) == (1, b"")
