import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity import statement_traits
from ctxkit.core.lint.similarity.statement_traits import extract_traits, find_names, make_bag


def units(text):
    return [unit for unit in parse_document("A.md", text.encode()).units if unit.kind == "bullet"]


def one(text):
    return extract_traits(units(f"- {text}\n")[0])


def test_names_are_code_paths_options_quotes_and_capitals_inside_a_sentence() -> None:
    found, proper = find_names('- Secondary Package: run `npm test` in src/app.py with --fast for "two words" on Postgres')
    assert found == {"npm test", "src/app.py", "--fast", "two words"}
    assert proper == {"postgres"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Never push to main", "push"),
        ("Push without tests", "test"),
        ("Force pushes are prohibited", "push"),
        ("不要提交代码", "提交"),
    ],
)
def test_a_negation_is_about_a_word(text: str, word: str) -> None:
    assert one(text).negated_words == {word}


@pytest.mark.parametrize("text", ["It is not strictly prohibited", "This is not only fast", "Push to main"])
def test_what_cancels_out_is_no_negation(text: str) -> None:
    assert one(text).negated_words == frozenset()


@pytest.mark.parametrize(("text", "wanted"), [("Is it so?", True), ("**是吗？**", True), ("What? No.", False), ("It is so", False)])
def test_a_question_ends_in_its_mark(text: str, wanted: bool) -> None:
    assert statement_traits.is_question(units(f"- {text}\n")[0]) is wanted


def test_numbers_in_words_are_numbers() -> None:
    assert one("Retry three times").numbers == one("Retry 3 times").numbers == {"3"}


def test_forms_of_a_word_and_words_with_one_meaning_are_the_same() -> None:
    assert one("Utilizing directories, verified").bag == one("Use the folder and check").bag


def test_the_traits_of_a_statement_are_extracted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    monkeypatch.setattr(statement_traits, "find_names", lambda text: texts.append(text) or find_names(text))
    (unit,) = units("- Keep the once extracted statement in mind\n")
    assert extract_traits(unit) == extract_traits(unit._replace(line=9))
    assert len(texts) == 1


def test_plain_words_are_no_names() -> None:
    assert find_names("always run the tests before a commit") == (frozenset(), frozenset())
    assert find_names("use the API in minimal APIs") == (frozenset(), frozenset(("api", "apis")))
    assert find_names("use iPhone and src/x.py and \u00c9cole, not caf\u00e9") == (frozenset(("iphone", "src/x.py")), frozenset(("\u00e9cole",)))


def test_a_statement_that_is_too_long_has_no_bag() -> None:
    words = "apple banana cherry " * (statement_traits.MAX_BAG_LENGTH // 20 + 1)
    assert make_bag(words) == frozenset()
    assert make_bag(words[: statement_traits.MAX_BAG_LENGTH])
