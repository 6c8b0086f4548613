from ctxkit.core.tokens.single_token_words import COMMON_CHARACTERS, COMMON_TOKENS
from ctxkit.engines.tokens.splintr import load_encoder


def test_a_word_is_a_single_token_after_a_blank() -> None:
    encode = load_encoder("o200k")
    assert [word for word in COMMON_TOKENS if len(encode(f" {word.decode()}")) != 1] == []


def test_characters_are_single_and_not_ascii() -> None:
    assert all(len(character) == 1 and not character.isascii() for character in COMMON_CHARACTERS)
