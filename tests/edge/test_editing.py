"""An edit reads, stores, writes, and says how to undo it."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ctxkit.core.count.amount import exact_amount
from ctxkit.core.edit.edit import EditOutcome
from ctxkit.core.edit.numbered_conversation import compute_overhead, list_messages, list_tasks
from ctxkit.core.errors import Exit
from ctxkit.core.text.quantity import PositionRange
from ctxkit.edge import editing
from ctxkit.edge.editing import EditRequest, EditServices, add_range_options, apply_edit
from tests.core.edit.talk import CHAT, ORDER, number_talk


@pytest.fixture
def chat(tmp_path: Path):
    path = tmp_path / "a chat.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in CHAT))
    return path


def edit(path, capfdbinary, held=None, **given):
    hold = (lambda file, refs: held.append((file, list(refs)))) if held is not None else pytest.fail
    status, ref = apply_edit(EditRequest(PositionRange(2, 5), str(path), **given), ORDER, EditServices(None, hold))
    written = capfdbinary.readouterr()
    return status, ref, written.out, written.err.decode()


def test_the_rest_goes_to_stdout_and_the_result_to_stderr(chat, capfdbinary) -> None:
    status, ref, out, err = edit(chat, capfdbinary)
    lines = chat.read_bytes().splitlines(keepends=True)
    assert (status, ref, out) == (Exit.DONE, "", b"".join((lines[0], *lines[5:])))
    assert err.endswith("nothing is stored, so it cannot be undone\n")


def test_in_place_the_file_changes_and_its_refs_are_held(chat, capfdbinary) -> None:
    held, before = [], chat.read_bytes()
    _, _, out, _ = edit(chat, capfdbinary, held, in_place=True)
    lines = before.splitlines(keepends=True)
    assert (out, chat.read_bytes()) == (b"", b"".join((lines[0], *lines[5:])))
    assert held == [(str(chat), [])]


def test_an_object_holds_the_content_unless_the_file_does(chat, capfdbinary) -> None:
    value = json.loads(edit(chat, capfdbinary, as_json=True)[2])
    assert (value["removed"], value["content"].count("\n")) == (4, 3)
    value = json.loads(edit(chat, capfdbinary, [], as_json=True, in_place=True)[2])
    assert "content" not in value


def outcome(**given):
    return EditOutcome(**{"data": b"", "taken": (2, 5), "before": exact_amount(1_200), "after": exact_amount(200), "fewer": 4, "ref": "f" * 64, **given})


def test_a_table_has_a_row_for_each_range_and_a_total() -> None:
    conversation = number_talk()
    table = editing.format_table(list_tasks(conversation), len(CHAT), compute_overhead(conversation), conversation)
    lines = table.splitlines()
    assert lines[0].split() == ["1*", str(conversation.costs[0].tokens), "system", "Be", "brief."]
    assert lines[1].split()[0] == "2:5"
    assert lines[1].endswith("Fix the test  (1 call)")
    assert lines[-2].endswith("in all, 7 messages (an estimate)")
    assert lines[-1].startswith("* has to stay")
    assert all(line == line.rstrip() for line in lines)


def test_objects_name_the_same_numbers() -> None:
    conversation = number_talk()
    row = editing.row_object(list_messages(conversation)[1], "estimate")
    assert (row["from"], row["to"], row["what"], row["calls"], row["stays"]) == (2, 2, "user", 0, False)
    total = editing.total_object(7, compute_overhead(conversation), conversation)
    assert (total["total"], total["messages"], total["tokens"], total["format"]) == (True, 7, conversation.total.tokens, "openai")


def test_the_result_of_an_edit_is_an_object() -> None:
    assert editing.outcome_object(outcome(), "exact") == {
        "from": 2, "to": 5, "removed": 4, "before": 1_200, "after": 200, "method": "exact", "ref": "f" * 16,
    }
    assert editing.outcome_object(outcome(ref=""), "exact")["ref"] is None


@pytest.mark.parametrize(
    ("given", "command", "line"),
    [
        ({}, "undo", "took out messages 2:5, 1,200 tokens are now 200; what stood behind has numbers lower by 4; undo undoes it"),
        (
            {"taken": (3, 3), "fewer": 0},
            "",
            "took out message 3, 1,200 tokens are now 200; nothing is stored, so it cannot be undone",
        ),
    ],
)
def test_one_line_says_what_was_done_and_how_to_undo_it(given, command: str, line: str) -> None:
    assert editing.describe_outcome(outcome(**given), command) == line


def test_a_command_gets_the_values_of_its_options_as_one_request():
    requests = []

    @click.command()
    @click.option("--summary", "text")
    @add_range_options
    def command(edit_request, request):
        requests.append((edit_request, request.session))

    arguments = ["2:7", "a.json", "--expand", "--in-place", "--skip-bad", "--json", "--session", "m", "--summary", "s"]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    assert CliRunner().invoke(command, ["3"]).exit_code == 0
    assert requests == [
        (EditRequest(PositionRange(2, 7), "a.json", "s", True, True, None, True, True), "m"),
        (EditRequest(PositionRange(3, 3), "-"), None),
    ]
