"""Which sentences of a user are rules, in several languages."""

import pytest

from ctxkit.core.context.rules import (
    HARD,
    MAX_SENTENCE,
    RULE,
    WISH,
    find_demands,
    is_job,
    is_rule,
    is_standing_rule,
    score_rule,
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Never touch the vendor directory.",
        "Do not add dependencies.",
        "You must keep the public API.",
        "Bitte ändere niemals die Schnittstelle.",
        "Il ne faut jamais modifier ce fichier.",
        "Никогда не меняй этот файл.",
        "不要修改这个文件，谢谢。",
        "このファイルは変更しないでください。",
    ],
)
def test_a_demand_or_a_prohibition_is_a_rule(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Why does it never stop?",
        "I don't know what this means.",
        "It works now.",
        "It only works on Linux.",
        "Order 1023 shows 58.19 EUR instead of 58.20 EUR.",
        "We always got that error.",
        'File "a.py", line 3, in never',
        "2026-01-01 always on",
        "Rules:",
        "ok",
        "never " * MAX_SENTENCE,
        "**Presets**: reuses what is there to avoid common work",
        "The main problem in the last runs was reading whole files instead of parts.",
        "i think the list doesn't adhere to the rule that a line must not be wider than the screen.",
        "Once I have the address, I will use the reader instead of the browser.",
        "yes need to be clean",
        "needs to be set to 1 for true colors",
    ],
)
def test_questions_statements_and_pasted_text_are_none(sentence: str) -> None:
    assert score_rule(sentence) == 0


@pytest.mark.parametrize(
    ("sentence", "job"),
    [
        ("Bitte die Meldungen in a.py auf Englisch umstellen.", True),
        ("Please move the retry logic into its own module.", True),
        ("Please use short names.", False),
        ("Please keep answers concise.", False),
        ("I want the tests in English, please.", False),
    ],
)
def test_a_polite_request_for_work_is_a_job(sentence: str, job: bool) -> None:
    assert is_job(sentence) is job


def test_harder_words_score_higher() -> None:
    scores = [score_rule(f"{words} the cache.") for words in ("Never use", "Prefer to use", "I want to use")]
    assert scores == [HARD, RULE, WISH]


def test_a_polite_request_is_a_rule_though_it_asks() -> None:
    assert score_rule("Could you please never push to main?") == HARD
    assert score_rule("Should we always push to main?") == 0


def test_what_an_example_tells_to_do_is_no_demand() -> None:
    text = "# Rules\nNever push.\n## Example usage\nUse the index only.\n## More\nAlways test first.\n"
    assert [sentence for sentence, _ in find_demands(text)] == ["Never push.", "Always test first."]


def test_demands_keep_both_halves_and_lose_their_filler() -> None:
    assert find_demands("ok, never push. It is slow.") == (("never push.", HARD),)
    assert find_demands("Use the old index. Do not rebuild it.") == (("Use the old index.", HARD), ("Do not rebuild it.", HARD))
    assert find_demands("Fix the parser. Never push.") == (("Never push.", HARD),)


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("Never change the lockfile in any task.", True),
        ("From now on, always run the tests first.", True),
        ("Do not push at any time in this session.", True),
        ("每次都必须运行测试。", True),
        ("Never change parser.py.", False),
        ("It failed in every session.", False),
    ],
)
def test_a_standing_rule_says_that_it_holds_beyond_the_task(sentence: str, standing: bool) -> None:
    assert is_standing_rule(sentence) is standing
