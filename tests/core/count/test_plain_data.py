"""What a content takes goes to another process and back."""

import json
import marshal

import pytest

from ctxkit.app.services import engines
from ctxkit.core.count.content import count_content
from ctxkit.core.count.content_tokens import ContentTokens
from ctxkit.core.count.options import CountOptions
from ctxkit.core.count.plain_data import from_plain, to_plain
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.tokens.vocabulary import find_vocabulary

ESTIMATE = find_vocabulary("estimate")
CHAT = "\n".join(
    json.dumps({"role": "user" if n % 2 else "assistant", "content": "some words " * n}) for n in range(1, 40)
)


def order(*, rows: bool) -> CountOptions:
    return CountOptions(ESTIMATE, engines.load_tokenizer(ESTIMATE), engines.parse_json, rows=rows)


def count(text: str, *, rows: bool = True) -> ContentTokens:
    return count_content(iter([text.encode()]), "chat", order(rows=rows))


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("text", [CHAT, "no conversation", "{ is none either", ""])
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
    text = f"{CHAT}\n" * 20
    sizes = []

    def isolate(work, size):
        sizes.append(size)
        return marshal.loads(marshal.dumps(work()))

    apart = count_content(
        iter([text.encode()[:70_000], text.encode()[70_000:]]), "chat", order(rows=True)._replace(isolate=isolate)
    )
    assert apart == count(text)
    assert sizes == [len(text.encode())]
    count_content(iter([CHAT.encode()]), "chat", order(rows=True)._replace(isolate=isolate))
    assert len(sizes) == 1
