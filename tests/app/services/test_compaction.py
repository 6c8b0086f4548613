import re
from pathlib import Path

import pytest

from ctxkit.app.services import compaction
from ctxkit.core.compact.services import make_summary_writer
from ctxkit.core.errors import CtxkitError, UsageError
from tests.app.services.test_engines import MATTER, PAGE
from tests.engines.summarizers.served import served


@pytest.mark.parametrize("name", ["extract", ""])
def test_extract_is_no_model(under, name: str) -> None:
    assert compaction.make_summarizer(name, under()) is None


@pytest.mark.parametrize("name", ["magic", "cmd:", "cmd: ", "http:", "https://", "http", "llm:x", "LLAMA"])
def test_a_summarizer_that_is_none(under, name: str) -> None:
    with pytest.raises(UsageError, match="unknown summarizer"):
        compaction.make_summarizer(name, under())


@pytest.mark.parametrize(
    "name", ["llama", "llama:/no/such.gguf", "cmd:/no/such/program", "http://127.0.0.1:9/v1", "https://127.0.0.1:9/v1"]
)
def test_nobody_is_reached_before_there_is_something_to_ask(under, name: str) -> None:
    assert callable(compaction.make_summarizer(name, under()))


@pytest.fixture
def writes(under, tmp_path: Path):
    """Write the page of the talk with a summarizer, and return it with what was warned of."""

    def made(name, *, strict=False):
        said = []
        return make_summary_writer(name, compaction.make_summarizer(name, under()), said.append, strict=strict)(MATTER), said

    return made


def printing(tmp_path, words):
    (tmp_path / "words").write_text(words)
    return f"cmd:cat {tmp_path / 'words'}"


def test_a_program_and_a_server_write(writes, tmp_path: Path) -> None:
    by_program, said = writes(printing(tmp_path, PAGE))
    assert ("The outputs have lines numbered to line 24." in by_program.page.facts, said) == (True, [])
    with served(PAGE) as server:
        by_server, said = writes(server.address)
    assert (by_server.page, said) == (by_program.page, [])


@pytest.mark.parametrize(
    "words",
    [
        "",
        "\n\n",
        "I'm sorry, I cannot help with that.",
        "<think>\nOkay, the user wants me to fill the template",
        '{"task": "x"}',
        "# Context\n\n## Task\n[What is the user doing?]\n\n## Decisions\n- [What was decided?]\n",
        "# Context\n\n## Task\nPort 9911.\n\n## Facts\n- /srv/a.py was read.\n- /srv/b.py was read.\n- I should look at c.\n",
        "\x00\x1b[31m\ufffd" * 100,
        "## Task\n" * 10_000,
    ],
)
def test_what_is_no_page_costs_one_warning(writes, tmp_path: Path, words: str) -> None:
    name = printing(tmp_path, words)
    made, said = writes(name)
    assert made.page == writes("extract")[0].page
    assert said == [f"the summary is made without a model: what {name} wrote is not a summary of this conversation"]


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("cmd:/no/such/program", 69, "no such program: /no/such/program"),
        ("cmd:false", 74, "false ended with status 1"),
        ("cmd:yes", 74, "yes wrote more than 1,000,000 bytes"),
        ("http://127.0.0.1:9/v1", 74, "refused"),
        ("llama:/no/such.gguf", 66, "/no/such.gguf: no such file"),
    ],
)
def test_one_that_fails_costs_one_warning_or_all(writes, name: str, status: int, words: str) -> None:
    made, said = writes(name)
    assert made.page == writes("extract")[0].page
    assert len(said) == 1
    assert words in said[0]
    with pytest.raises(CtxkitError, match=re.escape(words)) as trouble:
        writes(name, strict=True)
    assert trouble.value.status == status


@pytest.mark.parametrize("reply", [(200, b"<html>"), (200, []), (200, {"choices": [{}]}), (200, b""), (500, b"oh")])
def test_the_reply_of_a_server_may_be_anything(writes, reply) -> None:
    with served() as server:
        server.call = reply
        made, said = writes(f"{server.address}#m")
    assert made.page == writes("extract")[0].page
    assert len(said) == 1
