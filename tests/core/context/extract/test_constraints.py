import pytest

from ctxkit.core.context.extract.constraints import find_constraint_items
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.rules import is_rule


@pytest.mark.parametrize(
    "sentence",
    [
        "Never push to main.",
        "don't touch the tests",
        "You must keep the API.",
        "Always run make first.",
        "only change src/",
        "use pnpm not npm",
        "Use tabs instead of spaces.",
        "Avoid new dependencies.",
        "no new dependencies",
        "Make sure toolText is used.",
        "Ändere niemals die Tests.",
        "Bitte nur src/ ändern.",
        "Ne touche pas aux tests.",
        "Usa siempre pnpm.",
        "Никогда не трогай тесты.",
        "不要修改测试。",
        "テストは変更しないでください。",
        "테스트는 수정하지 마세요.",
        "You don't have to change the tests.",
        "I don't want new dependencies.",
        "Could you please not touch the tests, only src?",
    ],
)
def test_rules(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Fix the parser.",
        "Why do we always copy it?",
        "The build takes 3 minutes.",
        "ValueError: you must not pass None",
        "must = always + only;",
        "Rules you must always keep:",
        "2024-01-01 12:00 never seen",
        "x",
        "Never " + "so " * 200,
        "Bitte die Meldungen übersetzen.",
        "i don't think the footer works correctly.",
        "I never saw that, and it doesn't work yet.",
        "15 - **Newlines**: it now stops at the first newline and only displays that line.",
        "+ 8 - only the first",
        "that is what happens if we don't stream, right?",
    ],
)
def test_no_rules(sentence: str) -> None:
    assert not is_rule(sentence)


def test_rules_stand_verbatim_the_latest_worth_most() -> None:
    asked = [UserRequest(0, "", "Fix it. Never push. Please be quick."), UserRequest(4, "", "Always sign off. Use tabs instead of spaces.")]
    items = list(find_constraint_items(asked))
    assert [item.forms[0] for item in sorted(items, key=lambda item: item.rank)] == [
        "Never push.",
        "Please be quick.",
        "Always sign off.",
        "Use tabs instead of spaces.",
    ]
    worth = {item.forms[0]: item.score for item in items}
    assert worth["Always sign off."] > worth["Never push."] > worth["Please be quick."]


def test_a_wish_of_a_few_words_says_nothing_alone() -> None:
    text = "Please fix it. Please keep the old names of the rows."
    assert [item.forms[0] for item in find_constraint_items([UserRequest(0, text, text)])] == ["Please keep the old names of the rows."]


@pytest.mark.parametrize(
    "text", ["Please solve the problem carefully.", "Instead, use the goto 583 command.", "Otherwise, ask for help."]
)
def test_a_wish_that_says_nothing_alone_is_left_out(text: str) -> None:
    assert list(find_constraint_items([UserRequest(0, text)])) == []


def test_a_sentence_that_continues_a_demand_is_joined_to_it() -> None:
    text = "Don't scroll many times. Instead, use the goto 583 command."
    assert [item.forms[0] for item in find_constraint_items([UserRequest(0, text, text)])] == [
        "Don't scroll many times; Instead, use the goto 583 command."
    ]


def test_jobs_of_a_series_of_requests_are_no_decisions_once_answered() -> None:
    job, rule = "Review the docs to ensure there are no open tasks.", "Never push to main."
    asked = [UserRequest(0, f"{job} {rule}", f"{job} {rule}"), UserRequest(4, "Now the tests.", "Now the tests.")]
    assert [item.forms[0] for item in find_constraint_items(asked, [2])] == [rule]
    assert {item.forms[0] for item in find_constraint_items(asked[:1], [2])} == {job, rule}


def test_a_revoked_request_demands_nothing() -> None:
    asked = [UserRequest(0, "Always use tabs.", "Always use tabs."), UserRequest(4, "Revert that.", "Revert that.")]
    assert list(find_constraint_items(asked)) == []


def test_an_issue_below_its_heading_demands_nothing() -> None:
    text = "Solve this issue.\nISSUE:\nIt must never hang.\nINSTRUCTIONS:\nAlways wait for feedback."
    assert [item.forms[0] for item in find_constraint_items([UserRequest(0, text, text)])] == ["Always wait for feedback."]


def test_an_answer_of_an_assistant_that_the_user_quotes_demands_nothing() -> None:
    text = "It fails: Always send a POST. Would you like me to change it?"
    assert list(find_constraint_items([UserRequest(0, text, text)])) == []


def test_a_demand_about_a_pronoun_keeps_its_noun() -> None:
    text = "I see a blue highlight in the side bar. it should only be shown on the page itself."
    items = list(find_constraint_items([UserRequest(0, text, text)]))
    assert [item.forms[0] for item in items] == ["I see a blue highlight in the side bar; it should only be shown on the page itself."]


def test_what_is_wanted_exactly_is_no_lasting_demand() -> None:
    text = "Research it and let me know exactly what we should do."
    asked = UserRequest(0, text, text)
    assert list(find_constraint_items([asked, UserRequest(2, "Add it.", "Add it.")], [1, 3])) == []


def test_advertising_demands_nothing() -> None:
    assert not is_rule("Use our free email builder to design templates, no-code, without limits.")
    assert is_rule("Use our parser only.")


FINISHED = [
    "Do not write any code yet.",
    "again, don't edit anything.",
    "for now only work on the parser.",
    "Do not run the migration of phase 2.",
    "Verify that only 1 event is pushed.",
    "Use line numbers in the report.",
    "I'd like to use my credit card for any difference.",
    "Utilise un bloc de recherche pour le composant.",
    "外の計算は不要です。",
]


@pytest.mark.parametrize("sentence", FINISHED)
def test_a_demand_of_a_finished_piece_of_work_is_no_rule(sentence: str) -> None:
    requests = [UserRequest(1, sentence, sentence), UserRequest(4, "Fix the parser.", "Fix the parser.")]
    assert list(find_constraint_items(requests, [2])) == []


@pytest.mark.parametrize(
    "sentence",
    ["Never write to b.py.", "In every answer, name the file first; do not guess.", "Никогда не трогай тесты."],
)
def test_a_demand_that_says_that_it_lasts_stays_after_the_answer(sentence: str) -> None:
    requests = [UserRequest(1, sentence, sentence), UserRequest(4, "Fix the parser.", "Fix the parser.")]
    assert [item.forms for item in find_constraint_items(requests, [2])] == [(sentence,)]


def test_a_rule_in_the_description_of_a_piece_of_work_leaves_after_the_answer() -> None:
    text = f"{'The page shows the events of a day. ' * 40}Always fetch fresh data."
    requests = [UserRequest(1, text, text), UserRequest(4, "Fix the parser.", "Fix the parser.")]
    assert list(find_constraint_items(requests, [2])) == []
    assert [item.forms for item in find_constraint_items(requests)] == [("Always fetch fresh data.",)]
    text = "Mend the cache.\nIn the pages of a day:\n- always fetch fresh data\n"
    requests[0] = UserRequest(1, text, text)
    assert list(find_constraint_items(requests, [2])) == []


@pytest.mark.parametrize(
    "sentence",
    ["No underscores should appear in names.", "The app must never crash because of an image.", "Do NOT add heavy libraries.", "Keep exactly 1 hyphen, only before raw."],
)
def test_a_demand_that_may_be_done_with_its_request_leaves_after_the_answer(sentence: str) -> None:
    requests = [UserRequest(1, sentence, sentence), UserRequest(4, "Fix the parser.", "Fix the parser.")]
    assert [item.forms for item in find_constraint_items(requests)] == [(sentence,)]
    assert list(find_constraint_items(requests, [2])) == []


@pytest.mark.parametrize(
    "text",
    [
        "These should only be times.",
        "so don't do anything related to this.",
        "Only list the files: - both of them never change",
        "> Build it only as in render_sc\n> enes.py and run it.",
    ],
)
def test_what_is_unclear_alone_is_no_rule(text: str) -> None:
    assert list(find_constraint_items([UserRequest(1, text, text)])) == []


def test_a_demand_about_an_unnamed_thing_is_left_out() -> None:
    for sentence in ("I never want it to fill only half of the page.", "Never print these in the answer as given above."):
        assert list(find_constraint_items([UserRequest(1, sentence, sentence)])) == []


def test_an_order_not_to_stop_is_no_rule() -> None:
    asked = [UserRequest(0, text, text) for text in ("Never push.", "please coninue don't stop")]
    assert [item.forms[0] for item in find_constraint_items(asked)] == ["Never push."]
