"""Each rule compiles, has markers in lower case, and says which group is the secret."""

import re
from time import process_time

import pytest

from ctxkit.core.redaction.context_rules import RULES, ContextRule, entropy, is_placeholder, is_secret_value, is_words
from ctxkit.core.redaction.find_secrets import find_secrets


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_rule_names_its_markers_and_its_secret(rule: ContextRule) -> None:
    groups = re.compile(rule.pattern).groupindex
    assert ("values" in groups) == bool(rule.inner)
    assert "value" in (re.compile(rule.inner).groupindex if rule.inner else groups)
    assert all(mark == mark.lower() for mark in rule.marks)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<section type='X, Version=4.0.0.0, PublicKeyToken=b03f5f7f11d50a3a'/>", False),
        ("git -c credential.helper='!mise x -- gh auth git-credential' push", False),
        ("token=b03f5f7f11d50a3a", True),
        ("my_credential=Sup3rS3cretPass99", True),
    ],
)
def test_names_that_only_look_secret_have_public_values(text: str, found: bool) -> None:
    assert bool(list(find_secrets(text))) is found


@pytest.mark.parametrize(
    ("value", "anywhere", "in_a_certain_place"),
    [
        ("2wgt7VSYqG5WAR2I", True, True), ("P^G=-A!NgZ7UWyGfGnq", True, True), ("hunter2", False, True),
        ("tokenizer.next_token(stream)", False, False), ("${DB_PASSWORD}", False, False), ("<your-token>", False, False),
        ("/srv/app1/data2", False, True), ("12345", False, False), ("0x7fffd3a8b2c0", False, False), ("files", False, False),
        ("2026-11-28T10:00:00", False, False), ("changeme123", False, False), ("SecretString", False, False),
    ],
)  # fmt: skip
def test_a_value_is_a_secret_or_stands_for_none(value: str, anywhere: bool, in_a_certain_place: bool) -> None:
    assert is_secret_value(value, certain=False) is anywhere
    assert is_secret_value(value, certain=True) is in_a_certain_place


def test_names_and_words_are_told_from_generated_text() -> None:
    assert all(map(is_words, ("learn-contrib-package-name-1", "MyLongTestName12", "DB_PASSWORD", "v1.abc")))
    assert not any(map(is_words, ("Zx8Kq2Lm9Rt4", "a1b2c3d4e5")))


def test_a_placeholder_is_recognized() -> None:
    assert is_placeholder("AKIAIOSFODNN7EXAMPLE")
    assert not is_placeholder("AKIAJ5XK2PQRS7TUVW3Q")


def test_entropy_is_in_bits_for_each_character() -> None:
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


@pytest.mark.parametrize("value", ["aA" * 5000 + "!", "a" * 50_000 + "!", "A" * 50_000 + "!", "a1" * 5000 + "!"])
def test_long_values_take_linear_time(value: str) -> None:
    started = process_time()
    assert not is_words(value)
    is_secret_value(value, certain=False)
    assert process_time() - started < 1
