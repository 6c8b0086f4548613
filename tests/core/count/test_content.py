"""One content is counted as what it is."""

import json
import marshal
import subprocess
import sys
from json import loads

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.app.services import engines
from ctxkit.core.count.amount import CountOptions, TextCounter, exact_amount
from ctxkit.core.count.content import ContentTokens, count_content, count_lines, from_plain, percent, to_plain
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines.tokens import load_tokenizer

O200K = find_vocabulary("o200k")
ORDER = CountOptions(O200K, load_tokenizer(O200K), loads)
CHAT = json.dumps([{"role": "user", "content": "hello"}]).encode()


@settings(deadline=None)  # the first one loads the vocabulary
@given(st.text(max_size=200), st.integers(1, 30))
def test_text_is_counted_as_the_tokenizer_counts_it(text: str, size: int) -> None:
    data = text.encode("utf-8", "replace")
    found = count_content([data[at : at + size] for at in range(0, len(data), size)], "x", ORDER._replace(input="text"))
    assert found.amount.tokens == ORDER.count(data.decode())
    assert (found.size, found.lines) == (len(data), data.count(b"\n") + (data[-1:] not in (b"", b"\n")))
    assert (found.method, found.format, found.messages) == ("exact", "", 0)


def test_a_conversation_is_counted_as_one_unless_text_is_asked_for() -> None:
    assert count_content([CHAT], "x", ORDER).amount == exact_amount(3 + 1 + 1 + 3)
    assert count_content([CHAT], "x", ORDER).format == "openai"
    assert count_content([CHAT], "x", ORDER._replace(input="text")).amount == exact_amount(ORDER.count(CHAT.decode()))
    with pytest.raises(MalformedInputError, match="no conversation"):
        count_content([b"words"], "x", ORDER._replace(input="chat"))


def test_counting_stops_early() -> None:
    found = count_content([b"word and word\n" * 100_000] * 50, "x", ORDER, 1000)
    assert not found.complete
    assert found.amount.tokens > 1000
    assert found.size < 50 * 1_400_000


def test_the_format_chooses_the_scheme_where_nobody_is_named() -> None:
    chat = json.dumps({"system": "a", "messages": [{"role": "user", "content": "b"}]}).encode()
    assert count_content([chat], "x", ORDER._replace(is_named=False)).amount.tokens == 3 + 1 + 4 + 1
    assert count_content([chat], "x", ORDER).amount.tokens == (3 + 1 + 1) * 2 + 3


@given(st.text("ab\n\r é", max_size=40))
def test_lines_are_counted_with_their_newlines(text: str) -> None:
    rows = dict(count_lines([text.encode()], TextCounter(O200K, len)))
    whole = [f"{line}\n" for line in text.split("\n")[:-1]]
    last = text.rpartition("\n")[2]
    assert rows == {number: exact_amount(len(line)) for number, line in enumerate([*whole, *([last] if last else [])], 1)}


def test_a_share_of_a_window_is_rounded_up() -> None:
    assert [percent(tokens, 1000) for tokens in (0, 1, 500, 1001)] == [0.0, 0.1, 50.0, 100.1]
    assert percent(1, 3000) == 0.1
    assert percent(5, 0) == 100.0


def test_the_tokens_of_repeated_short_lines_are_counted_once() -> None:
    calls = []
    counter = TextCounter(O200K, lambda text: calls.append(text) or 1)
    rows = list(count_lines([b"\n" * 1000, b"ab\n" * 1000], counter))
    assert [number for number, _ in rows] == list(range(1, 2001))
    assert calls == ["\n", "ab\n"]


def test_text_has_no_format_and_no_messages() -> None:
    size = ContentTokens("notes.txt", exact_amount(3), "exact", 11, 1)
    assert (size.complete, size.format, size.messages, size.sum, size.doubt) == (True, "", 0, None, "")


def test_the_size_of_text_does_not_import_the_reader_of_conversations() -> None:
    script = "import sys, ctxkit.core.count.content as c; assert 'ctxkit.core.count.conversation_tokens' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


ESTIMATE = find_vocabulary("estimate")
SENT_CHAT = "\n".join(
    json.dumps({"role": "user" if n % 2 else "assistant", "content": "some words " * n}) for n in range(1, 40)
)


def order(*, rows: bool) -> CountOptions:
    return CountOptions(ESTIMATE, engines.load_tokenizer(ESTIMATE), engines.parse_json, rows=rows)


def count(text: str, *, rows: bool = True) -> ContentTokens:
    return count_content(iter([text.encode()]), "chat", order(rows=rows))


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("text", [SENT_CHAT, "no conversation", "{ is none either", ""])
def test_it_comes_back_as_it_was(text, rows: bool) -> None:
    made = count(text, rows=rows)
    assert from_plain(marshal.loads(marshal.dumps(to_plain(made)))) == made


@pytest.mark.parametrize(
    "value", [None, 3, (), "text", (1,) * 10, ("a", (1, 2), "exact", 1, 1, True, "", 0, None, ""), ("a",) * 10]
)
def test_what_is_no_count_is_refused(value) -> None:
    with pytest.raises(WorkerDiedError, match="sent no count"):
        from_plain(value)


def test_a_long_conversation_is_read_apart_and_counted_the_same() -> None:
    text = f"{SENT_CHAT}\n" * 20
    sizes = []

    def isolate(work, size):
        sizes.append(size)
        return marshal.loads(marshal.dumps(work()))

    apart = count_content(
        iter([text.encode()[:70_000], text.encode()[70_000:]]), "chat", order(rows=True)._replace(isolate=isolate)
    )
    assert apart == count(text)
    assert sizes == [len(text.encode())]
    count_content(iter([SENT_CHAT.encode()]), "chat", order(rows=True)._replace(isolate=isolate))
    assert len(sizes) == 1
