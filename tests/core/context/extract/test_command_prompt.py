import pytest

from ctxkit.core.context.extract import extract
from ctxkit.core.context.extract.command_prompt import NAMED_COMMAND, CommandPrompt, read_command_prompt
from ctxkit.core.context.extract.requests import find_requests
from ctxkit.core.context.extract.user_words import unwrap_message
from tests.core.context.talk import matter, records_of, said, user

INPUT = "\n## User Input\n\n```text\n{}\n```\n\nYou **MUST** consider the user input before proceeding (if not empty).\n\n## Outline\n\n{}\n"
PLAN = "1. Run `.specify/scripts/bash/setup-plan.sh --json` once. Never guess a path."
CONSTITUTION = "You are updating the project constitution at `.specify/memory/constitution.md`. Do not create a new template."
HEAD = "---\ndescription: {}\n---\n"
OPENSPEC = "<!-- OPENSPEC:START -->\n**Guardrails**\n- Do not write any code.\n\n**Steps**\n{}\n<!-- OPENSPEC:END -->"
SKILL = '<skill name="commit" location="/home/a/skills/commit/SKILL.md">\nReferences are relative to /home/a/skills/commit.\n\n# Commit\n\nTurn changes into\nsafe commits. Do not push.\n\n## Rules\n\nAlways sign.\n</skill>'


STEPS = "\n\n## Steps\n\n" + "".join(f"{number}. Read file {number} and never change it.\n" for number in range(1, 12))


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (f"# /run-spec — Execute a spec{STEPS}", CommandPrompt("/run-spec", "", "Execute a spec")),
        (f"# Update the docs{STEPS}\n## Request\n\n$ARGUMENTS\nRename a\nto b.\n", CommandPrompt("", "Rename a\nto b.", "Update the docs")),
        (f"# Update the docs{STEPS}\n$ARGUMENTS\n\n1. Go on.\n", None),
        (f"# Update the docs{STEPS}\n$ARGUMENTS\n{'a' * 9_000}\n1. Go on.\n", None),
        (f"# Update the docs{STEPS}", None),
        ("# /run-spec — Execute a spec\n\nShort.", None),
    ],
)
def test_a_prompt_with_a_title_tells_its_command_or_the_words_behind_its_placeholder(text: str, prompt: CommandPrompt | None) -> None:
    assert read_command_prompt(text) == prompt


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (INPUT.format("", PLAN), CommandPrompt("/speckit.plan")),
        (INPUT.format("", PLAN).replace("\n", "\r\n"), CommandPrompt("/speckit.plan")),
        (INPUT.format("$ARGUMENTS", CONSTITUTION), CommandPrompt("/speckit.constitution")),
        (INPUT.format("T004, 5", PLAN), CommandPrompt("/speckit.plan", "T004, 5")),
        (INPUT.format("Use Rust and no database.", PLAN), CommandPrompt("", "Use Rust and no database.")),
        (INPUT.format("Fix it:\n```\nmake: no rule\n```", PLAN), CommandPrompt("", "Fix it:\n```\nmake: no rule\n```")),
        (INPUT.format("", "- look under `hooks.before_converge`\n\nSee `/speckit-plan`."), CommandPrompt("/speckit-converge")),
        (HEAD.format("Make the plan.") + INPUT.format("", PLAN), CommandPrompt("/speckit.plan", "", "Make the plan.")),
        (HEAD.format("Count words") + "handoffs:\n", CommandPrompt("", "", "Count words")),
        (HEAD.format(">\n  Count\n  words\nallowed-tools: Bash") + "Count $ARGUMENTS", CommandPrompt("", "", "Count words")),
        ("---\nname: count\ndescription: 'Count words'\n---\n\nNever stop.", CommandPrompt("/count", "", "Count words")),
        (INPUT.format("", "Count the words. Never stop."), CommandPrompt("", "", "Count the words.")),
        (SKILL, CommandPrompt("/skill:commit", "", "Turn changes into safe commits.")),
        (f"{SKILL}\n\nonly a.py", CommandPrompt("/skill:commit", "only a.py", "Turn changes into safe commits.")),
        (SKILL.removesuffix("\n</skill>"), CommandPrompt("/skill:commit", "", "Turn changes into safe commits.")),
        (
            "<auto-slash-command>\n# /review Command\n\n**Description**: Review code\n\n**User Arguments**: src\nonly\n\n**Model**: x\n\n**Scope**: project\n\n---\n\nNever edit.\n</auto-slash-command>",
            CommandPrompt("/review", "src\nonly", "Review code"),
        ),
        ("--- Cursor Command: team/plan.md ---\n# Plan\n\nMake a plan. Never edit.\n--- End Command ---", CommandPrompt("/plan", "", "Make a plan.")),
        ("---\nname: 'OpenSpec: Apply'\ndescription: Apply it\ncategory: OpenSpec\ntags: [a]\n---\nNever stop.", CommandPrompt("", "", "Apply it")),
        ("---\nname: /apply\ndescription: Apply it\n---\nNever stop.", CommandPrompt("/apply", "", "Apply it")),
        (OPENSPEC.format("1. Determine the change ID to archive:"), CommandPrompt("/openspec-archive")),
        (f"$ARGUMENTS\n{OPENSPEC.format('Track these steps as TODOs.')}", CommandPrompt("/openspec-apply")),
        (f"{OPENSPEC.format('Choose a `change-id`.')}\n<UserRequest>\n add a map\n</UserRequest>", CommandPrompt("/openspec-proposal", "add a map")),
        ("# /dev Command\n\nWhen this command is used, adopt the following agent persona:\n\nNever load a file.", CommandPrompt("/dev")),
        (
            "Generate a file named AGENTS.md that serves as a contributor guide for this repository.\nNever guess.",
            CommandPrompt("/init", "", "Generate a file named AGENTS.md that serves as a contributor guide for this repository."),
        ),
        (
            "---\ndescription: Create the constitution.\n---\n\nUser input:\n\n$ARGUMENTS\n\nYou are updating the project constitution at a.md.\n",
            CommandPrompt("/constitution", "", "Create the constitution."),
        ),
        (
            "Analyze this codebase and create a .github/copilot-instructions.md file to help future sessions.\n\n## What",
            CommandPrompt("/init", "", "Analyze this codebase and create a .github/copilot-instructions.md file to help future sessions."),
        ),
        (
            "You must fully embody this agent's persona and follow all activation instructions exactly as specified. "
            "NEVER break character.\n\n<agent-activation>\n1. LOAD the FULL agent file from @.bmad/bmm/agents/pm.md\n",
            CommandPrompt("/pm"),
        ),
        (
            "IT IS CRITICAL THAT YOU FOLLOW THESE STEPS - while staying in character:\n1. Always LOAD the FULL "
            "@.bmad/core/tasks/workflow.xml\n2. READ @.bmad/bmm/workflows/1-plan/prd/workflow.yaml\n",
            CommandPrompt("/prd"),
        ),
        ('[IMPORTANT: The user has invoked the "x" skill.]\nNever edit.', CommandPrompt("/x")),
    ],
)
def test_the_prompt_of_a_command_tells_what_the_user_ran(text: str, prompt: CommandPrompt) -> None:
    assert read_command_prompt(text) == prompt


@pytest.mark.parametrize(
    "text",
    [
        "Fix it",
        "---\ntitle: A trip\ndescription: Of last year\n---\nWe went by train.",
        "---\nmodel: x\n---\nCount.",
        "---\n\nFix it\n\n---",
        "Explain this:\n---\ndescription: Count words\n---\n",
        "## User Input\n\nMake the field wider.",
        "Put <skill> tags around it.",
        "--- Cursor ---",
        "/plan\n\n--- Cursor Command: plan.md ---\n# Plan\n\nNever edit.",
        "--- Cursor Command: plan.md ---\n# Plan\n--- End Command ---\nof a.py",
        "Please analyze this codebase and create an AGENTS.md file",
        "<!-- OPENSPEC:START -->\n# OpenSpec Instructions\n<!-- OPENSPEC:END -->\nFix it",
    ],
)
def test_any_other_message_is_no_prompt_of_a_command(text: str) -> None:
    assert read_command_prompt(text) is None


def test_the_request_is_what_the_user_typed() -> None:
    assert CommandPrompt("/a", "b", "c").request == "/a b"
    assert CommandPrompt("/a", "", "c").request == "/a"
    assert CommandPrompt("", "b", "c").request == "b"
    assert CommandPrompt("", "", "c").request == "c"
    assert unwrap_message(f"<system-reminder>x</system-reminder>\n{SKILL}") == "/skill:commit"


def test_a_named_command_has_words_on_its_line() -> None:
    assert NAMED_COMMAND.fullmatch("/speckit.implement Phase5")
    assert NAMED_COMMAND.fullmatch("/openspec-apply")
    assert not NAMED_COMMAND.fullmatch("/tmp is full")
    assert not NAMED_COMMAND.fullmatch("/skill:commit a\nb")


def test_the_page_names_the_command_and_takes_no_demand_from_its_template() -> None:
    page = extract(matter(records_of([user("Make the site."), said("Done."), user(INPUT.format("$ARGUMENTS", CONSTITUTION)), said("On it.")])))
    assert page.task == 'The user ran the command /speckit.constitution (asked before: "Make the site")'
    assert page.decisions == ()
    page = extract(matter(records_of([user("Make the site."), said("Done."), user(INPUT.format("Phase5", PLAN)), said("On it.")])))
    assert page.task == 'The user ran the command /speckit.plan with "Phase5" (asked before: "Make the site")'
    page = extract(matter(records_of([user("Make the site."), said("Done."), user(SKILL), said("On it.")])))
    assert page.task == 'The user ran the command /skill:commit ("Turn changes into safe commits"; asked before: "Make the site")'
    assert page.decisions == ()


def test_an_earlier_command_is_named_before_a_short_request() -> None:
    requests = [user(SKILL), said("Done."), user("It fails.")]
    assert extract(matter(records_of(requests))).task == 'The user says "It fails" (asked before: "/skill:commit")'
    assert [request.is_command for request in find_requests(records_of(requests))] == [True, False]


@pytest.mark.parametrize("text", [SKILL, f"{SKILL}\nonly a.py", INPUT.format("Phase5", PLAN), INPUT.format("", PLAN)])
def test_a_command_without_an_answer_is_the_task_and_no_open_item(text: str) -> None:
    page = extract(matter(records_of([user("Make the site."), said("Done."), user(text)])))
    assert page.task.startswith("The user ran the command /s")
    assert page.pending == ()
