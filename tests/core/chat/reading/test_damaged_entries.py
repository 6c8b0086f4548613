"""A count and an editor give the same answer to a conversation with a damaged entry."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.errors import CtxkitError
from tests.conftest import Run
from tests.core.chat.talks import FORMATS, Plan, plans
from tests.example_counts import count_examples

DAMAGES: dict[str, Callable[[Any, Any], Any]] = {
    "remove": lambda container, key: container.pop(key),
    "empty": lambda container, key: container.update({key: None}) if isinstance(container, dict) else container.insert(key, None),
    "number": lambda container, key: container.update({key: 7}) if isinstance(container, dict) else container.insert(key, 7),
    "rename": lambda container, key: container.update(result=container.pop(key)) if isinstance(container, dict) else container.clear(),
}


def list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in a value with each of its keys or indices."""
    for key, member in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from list_places(member)


def find_answer(read: Callable[[], str]) -> str:
    """Return what a reader answers: the name of the format, "unknown", or "malformed"."""
    try:
        return read()
    except CtxkitError as error:
        return "unknown" if "no conversation is recognized" in str(error) else "malformed"


def count(data: bytes) -> str:
    """Return the name of the format in which a count reads all entries, "unknown" for text."""
    content = open_content(iter([data]), json.loads, "chat")
    for _ in content.entries:
        pass
    return content.format.NAME if content.format else "unknown"


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "chatml"])
@given(plan=plans, data=st.data())
@settings(max_examples=count_examples(15), deadline=None)
def test_a_count_reads_what_an_editor_reads(name: str, plan: Plan, data: st.DataObject) -> None:
    make, write = FORMATS[name]
    entries = make(plan)
    container, key = data.draw(st.sampled_from(list(list_places(data.draw(st.sampled_from(entries))))))
    DAMAGES[data.draw(st.sampled_from(sorted(DAMAGES)))](container, key)
    content = write(entries)
    assert find_answer(lambda: count(content)) == find_answer(lambda: parse_transcript(content, "chat").format.NAME)


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"messages": [{"role": "user", "content": "Fix it"}, {"role": "assistant", "content": "Done"}]}, 0),
        ({"history": [{"role": "user", "content": "Fix it"}, {"role": "assistant", "result": "Done"}]}, 0),
        ({"contents": [{"role": "user", "parts": [{"text": "Fix it"}]}, {"role": "model"}]}, 0),
        ({"sessionId": "e1", "messages": []}, 0),
        ({"schema_version": "ATIF-v1.6", "steps": [{"step_id": 1, "message": "Fix it"}]}, 65),
        ({"level": "info", "messages": ["disk full"]}, 65),
    ],
)
def test_count_and_compact_end_with_the_same_status(document: dict[str, Any], status: int, run: Run) -> None:
    content = json.dumps(document)
    assert run("count", "--input", "chat", stdin=content).status == status
    assert run("compact", "--force", "--model", "gpt-4o", "--window", "1000", stdin=content).status == status
