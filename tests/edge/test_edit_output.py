"""How edits are shown: tables, objects and one line."""

import pytest

from ctxkit.core.count.amount import exact_amount
from ctxkit.core.edit.edit import EditOutcome
from ctxkit.core.edit.numbered_conversation import compute_overhead, list_messages, list_tasks
from ctxkit.edge import edit_output
from tests.core.edit.talk import CHAT, number_talk


def outcome(**given):
    return EditOutcome(**{"data": b"", "taken": (2, 5), "before": exact_amount(1_200), "after": exact_amount(200), "fewer": 4, "ref": "f" * 64, **given})


def test_a_table_has_a_row_for_each_range_and_a_total() -> None:
    conversation = number_talk()
    table = edit_output.format_table(list_tasks(conversation), len(CHAT), compute_overhead(conversation), conversation)
    lines = table.splitlines()
    assert lines[0].split() == ["1*", str(conversation.costs[0].tokens), "system", "Be", "brief."]
    assert lines[1].split()[0] == "2:5"
    assert lines[1].endswith("Fix the test  (1 call)")
    assert lines[-2].endswith("in all, 7 messages (an estimate)")
    assert lines[-1].startswith("* has to stay")
    assert all(line == line.rstrip() for line in lines)


def test_objects_name_the_same_numbers() -> None:
    conversation = number_talk()
    row = edit_output.row_object(list_messages(conversation)[1], "estimate")
    assert (row["from"], row["to"], row["what"], row["calls"], row["stays"]) == (2, 2, "user", 0, False)
    total = edit_output.total_object(7, compute_overhead(conversation), conversation)
    assert (total["total"], total["messages"], total["tokens"], total["format"]) == (True, 7, conversation.total.tokens, "openai")


def test_the_result_of_an_edit_is_an_object() -> None:
    assert edit_output.outcome_object(outcome(), "exact") == {
        "from": 2, "to": 5, "removed": 4, "before": 1_200, "after": 200, "method": "exact", "ref": "f" * 16,
    }
    assert edit_output.outcome_object(outcome(ref=""), "exact")["ref"] is None


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
    assert edit_output.describe_outcome(outcome(**given), command) == line
