"""Documents, copies of answers and announcements are not what a user asks for."""

import time

import pytest

from ctxkit.core.context.extract.constraints import find_constraint_items
from ctxkit.core.context.extract.pasted import (
    MIN_ECHO,
    drop_option_comments,
    drop_pasted,
    find_document_parts,
    find_echoes,
)
from ctxkit.core.context.extract.requests import find_requests
from tests.core.context.talk import records_of, said, user

ANNOUNCED = "# Announcement lines from when this session of aider was launched:\n\nAider v0.50.1\nModel: gpt-4o"
EXAMPLE = (
    "Here's a running example.\n\n--------------------- START OF EXAMPLE ---------------------\n\nUSER: Create a list.\n"
    "--------------------- END OF EXAMPLE ---------------------\n\nDo NOT assume the same environment.\n\n"
    "--------------------- NEW TASK DESCRIPTION ---------------------\nMend a.py.\n"
    "--------------------- END OF NEW TASK DESCRIPTION ---------------------\n\nPLEASE follow the format strictly!"
)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (f"/help keys\n\n# Relevant docs:\n\n<doc from_url=https://x>\nUse tabs.\n</doc>\n\n{ANNOUNCED}", "/help keys"),
        ("Compare <doc>Use a.</doc> and <doc>Use b.</doc>, please.", "Compare \n and \n, please."),
        ("<document>\nUse tabs.\n</document>", "<document>\nUse tabs.\n</document>"),
        ("Say <doc> in full", "Say <doc> in full"),
        ("Close </doc> first", "Close </doc> first"),
        (ANNOUNCED, ""),
        (EXAMPLE, "Mend a.py."),
        ("Why does Aider v2 start?", "Why does Aider v2 start?"),
    ],
)
def test_what_a_host_puts_beside_a_request(text: str, own: str) -> None:
    assert drop_pasted(text) == own


def test_a_document_over_several_messages() -> None:
    records = records_of([user("/help keys"), user("<doc>\nUse tabs."), said("####"), user("Always say yes."), user("x\n</doc>"), user("ok")])
    assert find_document_parts(records) == {1, 2, 3, 4}
    assert [request.text for request in find_requests(records)] == ["/help keys", "ok"]


def test_a_document_that_never_ends_hides_no_request() -> None:
    assert find_document_parts(records_of([user("Use <doc> here."), user("Fix it."), user("<doc>"), user("Go on.")])) == set()
    assert find_document_parts(records_of([user("Fix it."), user("<doc>\nUse tabs.\n</doc>")])) == {1}


def test_a_copy_of_the_answer_is_no_request() -> None:
    plan = "Change a.py. " * 20
    records = records_of([user("Plan it."), said(f"Here it is:\n\n{plan}"), user(plan), said("Done."), user("Now b.py.")])
    assert len(plan) > MIN_ECHO
    assert find_echoes(records) == {2}
    assert [request.text for request in find_requests(records)] == ["Plan it.", "Now b.py."]


def test_a_short_quotation_of_the_answer_is_a_choice() -> None:
    assert find_echoes(records_of([user("Plan it."), said("1. Use tabs.\n2. Use blanks."), user("2. Use blanks.")])) == set()


def test_the_comments_of_a_sample_configuration_demand_nothing() -> None:
    sample = "Never push.\n\n## Always say yes to every confirmation\n#yes: false\n\n# Only use known models\n\n#known: true\n\n# Rules\nUse tabs only."
    [request] = find_requests(records_of([user(sample), said("ok")]))
    assert [item.forms[0] for item in find_constraint_items([request])] == ["Never push.", "Use tabs only."]
    assert drop_option_comments("# Rules\n\nKey: only tabs") == "# Rules\n\nKey: only tabs"


@pytest.mark.slow
def test_many_tags_take_linear_time() -> None:
    begin = time.perf_counter()
    drop_pasted("<doc>" * 200_000)
    drop_pasted("<doc " * 200_000)
    drop_pasted("</doc><doc>" * 100_000)
    drop_option_comments("# a\n" * 100_000)
    drop_option_comments("#" + " " * 200_000)
    assert time.perf_counter() - begin < 5


TERMINUS = "You are an AI assistant tasked with solving command-line tasks in a Linux environment.\n\nFormat your response as JSON.\n\n"


def test_the_task_in_a_prompt_of_terminus_is_the_request() -> None:
    task = "Write the mean price to /app/results.txt."
    assert drop_pasted(f"{TERMINUS}Task Description:\n{task}\n\nCurrent terminal state:\nCurrent Terminal Screen:\nroot@a:/app#") == task
    assert drop_pasted(f"{TERMINUS}Instruction:\n{task}\n\nThe current terminal state is:\nroot@a:/app#") == task
    assert drop_pasted(f"{TERMINUS}Task Description:\n{task}") == task
    assert drop_pasted(f"{TERMINUS}{task}") == f"{TERMINUS}{task}".strip()
    assert drop_pasted(f"Task Description:\n{task}") == f"Task Description:\n{task}"


def test_the_issue_in_a_prompt_of_mini_swe_agent_is_the_request() -> None:
    issue = "Please solve this issue: The page is empty\n\nShow the list on it."
    rest = "You can execute bash commands and edit files to implement the necessary changes.\n\n## Recommended Workflow\n\n1. Analyze the codebase"
    assert drop_pasted(f"{issue}\n\n{rest}") == issue
    assert drop_pasted(f"Fix it.\n\n{rest}") == f"Fix it.\n\n{rest}"
    assert drop_pasted(issue) == issue
