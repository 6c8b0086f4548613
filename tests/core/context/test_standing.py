import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.standing import is_demand, is_one_off, is_order, is_statement_start


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push to main.",
        "Always sign off.",
        "only change src/",
        "Use tabs instead of spaces.",
        "You must keep the API.",
        "We also don't test third-party features, only our own code.",
        "This must only run on Linux.",
        "I'd like you to answer only in English.",
        "When editing a file, make sure to insert the indentation.",
        "If the build fails, don't retry it.",
        "Ändere niemals die Tests.",
        "不要修改测试。",
    ],
)
def test_demands(sentence: str) -> None:
    assert is_demand(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Sessions are returned only on explicit requests, never in bulk listings.",
        "everything worked as expected, except that the folder is one level too high",
        "the documents only ever have the content that they were created with.",
        "I think we're gonna need to do some tweaks without the package.",
        "whatever we need to do to work around this without a fork.",
        "I'm on this page but don't see how to set it.",
        "[ERROR] 22:30:12 Error: Must use import to load ES Module: src/index.ts",
        "api:lint: 150:16 error 'error' is defined but never used",
        "docs:lint: ./Modal.tsx Warning: 'BASE' is assigned a value but never used.",
        "hint: Names commonly chosen instead of 'master' are 'main' and 'trunk'",
        "ts-node-dev --respawn --transpile-only src/index.ts",
        'Use "fly [command] --help" for more information about only this command.',
        "<summary>Run only this</summary>",
        "405 Method Not Allowed",
        "This should help resolve it without a restart.",
        "Yes, exactly!",
        "Always active, no resource cost",
        "Must acquire powerful tributes annually or the demon kills them.",
        "I like to watch it, it is our favorite show!!!",
        "don't think 24h is defensible",
        "we don't actually need a migration script.",
        "No side passages: this is a dead end by design.",
        ".codex is created by the installer, so ensure there is error handling.",
        "Do not combine it with any other command.",
        "이진 탐색은 한 번 루프를 돌 때마다 절반으로 줄어들죠.",
    ],
)
def test_reports_and_pasted_text_are_no_demands(sentence: str) -> None:
    assert not is_demand(sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Update the plan and make sure the steps make sense.", True),
        ("based on our work so far, update @plans/api.md with what's done without new steps", True),
        ("I'd like to cancel any reservations that have only one passenger.", True),
        ("Specifically, add an endpoint without a token.", True),
        ("I want you to always answer in English.", False),
        ("Use `startsWith` instead of `includes` in the route.", True),
        ("Keep the existing error state management.", True),
        ("Never edit the lock file.", False),
        ("Use port 8080, not 80.", False),
        ("Keep the old names.", False),
        ("Run the linter before each commit.", False),
        ("Update the Dockerfile so it always copies go.sum first.", True),
        ("Add at least 3 tests.", True),
        ("The bullet should be as dim as the code.", True),
        ("Users should never see hidden options.", False),
        ("The menu must be dynamic.", False),
    ],
)
def test_a_job_is_one_off_and_a_way_to_work_is_not(sentence: str, expected: bool) -> None:
    assert is_one_off(sentence) is expected


def test_only_orders_speak_to_the_agent() -> None:
    assert is_order("Keep the shield.")
    assert is_order("You must not edit the tests.")
    assert is_order("枕詞は不要です。")
    assert not is_order("The resistance must move its forces.")
    assert not is_order("We do not ask this of you.")


def test_a_statement_tells_and_a_wish_does_not() -> None:
    assert is_statement_start("We know the cause.")
    assert is_statement_start("I thought I was in the tome")
    assert not is_statement_start("I want a test.")
    assert not is_statement_start("Fix it.")


@given(st.text(max_size=200))
def test_any_text_has_an_answer(text: str) -> None:
    assert is_demand(text) in (True, False)
    assert is_one_off(text) in (True, False)
