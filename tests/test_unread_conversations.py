"""Each command that takes a conversation refuses one that it does not read by its name, and says how to convert it."""

import json
import shlex
import shutil
import subprocess

import pytest

from tests.conftest import Run
from tests.core.chat.unread_samples import SAMPLES, Sample, find_row

COMMANDS = [
    ("compact", "--force", "--model", "gpt-4o"),
    ("compact", "--check"),
    ("edit", "list"),
    ("edit", "list", "--suggest"),
    ("edit", "remove", "1"),
    ("session", "append", "s"),
    ("snapshot", "save", "s"),
    ("turn", "--session", "s"),
    ("usage",),
    ("count", "--input", "chat"),
    ("budget", "--model", "gpt-4o", "--messages", "-"),
]
FIRST = {sample.name: sample for sample in reversed(SAMPLES)}
samples = pytest.mark.parametrize("sample", FIRST.values(), ids=FIRST)


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("name", ["UIMessages", "ChatGPT", "goose", "messages of AutoGen", "Aider", "SpecStory"])
def test_the_error_names_the_format(name: str, command: tuple[str, ...], run: Run) -> None:
    row = find_row(FIRST[name])
    assert run("session", "new", "s", "--model", "gpt-4o").status == 0
    ran = run(*command, stdin=FIRST[name].content)
    assert (ran.status, ran.out) == (65, b"")
    assert ran.err == f"ctxkit: stdin: it is {row.name}, which ctxkit does not read\n  hint: {row.hint}\n"
    assert run("session", "history", "s").out == b""


@pytest.mark.quick_cases(4)
@samples
def test_a_count_says_that_it_counts_text(sample: Sample, run: Run) -> None:
    ran = run("count", "--json", "--model", "gpt-4o", stdin=sample.content)
    text = run("count", "--json", "--model", "gpt-4o", "--input", "text", stdin=sample.content)
    doubt = f"it is {find_row(sample).name}, which ctxkit does not read: counted as text"
    assert json.loads(ran.out) == json.loads(text.out) | {"doubt": doubt}
    assert ran.err == f"ctxkit: warning: stdin: {doubt}\n"
    assert "counted as text" not in text.err
    by_message = run("count", "--by", "message", "--model", "gpt-4o", stdin=sample.content)
    assert by_message.status == 65
    assert f"stdin: {doubt.removesuffix(': counted as text')}\n" in by_message.err


@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("sample", [sample for sample in FIRST.values() if sample.words], ids=lambda sample: sample.name)
def test_the_converted_conversation_is_counted_and_compacted(sample: Sample, run: Run, tmp_path) -> None:
    file = tmp_path / "FILE"
    file.write_bytes(sample.content)
    hint = run("compact", "--force", "--model", "gpt-4o", file).err.splitlines()[1]
    command = shlex.split(hint.partition(": ")[2].partition(": ")[2])
    converted = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    counted = json.loads(run("count", "--json", "--model", "gpt-4o", stdin=converted).out)
    assert counted["format"] != "text"
    assert counted["messages"] >= len([words for words in sample.words if words[0] in ("user", "assistant")])
    assert run("compact", "--force", "--model", "gpt-4o", stdin=converted).status == 0
