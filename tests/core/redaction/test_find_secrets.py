"""Secrets are found by their places, also with escapes inside and over wraps."""

import re
from time import process_time

import pytest

from ctxkit.core.redaction.find_secrets import (
    RULES,
    ContextRule,
    Secret,
    entropy,
    find_secrets,
    is_placeholder,
    is_secret_value,
    is_words,
)

KEY = "Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"
TOKEN = f"ghp_{KEY}SsUuAa"


@pytest.mark.parametrize(
    "before",
    ["Authorization: Bearer ", "authorization=Basic ", "X-Api-Key: ", "Set-Cookie: sid=", "Cookie: a=b; session=", "curl -b 'sid=",
     "curl -u admin:", "https://x.org/?access_token=", "https://hooks.slack.com/services/", "deploy --token ", "mysql -p",
     "DB_PASSWORD=", "password: ", "'api_key' => '", "define('DB_PASSWORD', '", '"SecretAccessKey": "', "//registry.npmjs.org/:_authToken=",
     "machine x.org login me password ", "<password>", '{"name": "DB_PASSWORD", "value": "', 'name: API_TOKEN\n  value: ',
     '"auths": {"x": {"auth": "', "apiVersion: v1\nkind: Secret\ndata:\n  key: ", "db.example.org:5432:app:app:", "$6$salt$",
     "Generated password for 'admin': ", "jdbc:oracle:thin:app/"],
)  # fmt: skip
def test_a_value_is_found_where_secrets_stand(before: str) -> None:
    ends = {"<password>": "</password>", "jdbc:oracle:thin:app/": "@db:1521/X"}
    after = ends.get(before, before.rstrip()[-1] if before.rstrip()[-1] in "'\"" else "")
    text = f"first\n{before}{KEY}{after}\nlast\n"
    (secret,) = find_secrets(text)
    assert KEY in text[secret.start : secret.end]
    assert len(text[secret.start : secret.end]) <= len(KEY) + 8


@pytest.mark.parametrize(
    "text",
    ["token = tokenizer.next_token(stream)", "password: str = Field(min_length=8)", "max_tokens=4096", "export PWD=/srv/app1/data2",
     "passwd: files systemd", "password: ${{ secrets.DB_PASSWORD }}", "ssh://git@github.com:22/owner/repo.git",
     "https://example.com/a:bcdefgh@2x.png", "arn:aws:secretsmanager:eu-west-1:622973087196:secret:app-AbCd12",
     "pod/token-refresher-7d9c5b8f6d-x2x4q", "docker run -p 8080:80 app", "Authorization: Bearer <token>", "primary key: id",
     "| API キー認証・Bearer トークンの使い方を知りたい | api-core |", "psexec.py -k -no-pass corp.local/admin1@DC01.corp.local", '"token": "Event-based (decode log data)"',
     "Authorization: Bearer тут-ваш-личный-токен"],
)  # fmt: skip
def test_a_text_without_a_secret_has_none(text: str) -> None:
    assert find_secrets(f"{text}\n") == []


def test_escapes_inside_a_secret_do_not_hide_it() -> None:
    text = f"a \x1b[32m{TOKEN[:20]}\x1b[0m{TOKEN[20:]} b"
    assert find_secrets(text) == [Secret(7, 7 + len(TOKEN) + 4, "GitHub token")]


@pytest.mark.parametrize("cut", [3, 12, 30])
def test_a_key_that_a_terminal_wrapped_is_found_whole(cut: int) -> None:
    text = f"{'x ' * 35}{TOKEN[:cut]}\n{TOKEN[cut:]}\nlast line\n"
    (secret,) = find_secrets(text)
    assert text[secret.start : secret.end] == f"{TOKEN[:cut]}\n{TOKEN[cut:]}"


def test_a_line_after_a_long_one_stays() -> None:
    text = f"{'x ' * 30}{TOKEN}\nentry after\n2026-01-02 a line\n"
    assert [text[start:end] for start, end, _ in find_secrets(text)] == [TOKEN]


def test_a_private_key_behind_dates_is_found() -> None:
    row = "2026-01-01T10:00:00Z "
    text = f"{row}-----BEGIN PRIVATE KEY-----\n{row}{KEY}\n{row}{KEY}\n{row}-----END PRIVATE KEY-----\n"
    left = text
    for start, end, _ in reversed(find_secrets(text)):
        left = left[:start] + left[end:]
    assert KEY not in left


def test_a_scanner_gets_the_text_without_the_known_secrets() -> None:
    texts = []

    def scan(text: str) -> list[tuple[str, str]]:
        texts.append(text)
        return [("vendor", "Zx8Kq2Lm9"), ("vendor", "<token>"), ("vendor", "")]

    text = f"{TOKEN} Zx8Kq2Lm9 <token>"
    assert find_secrets(text, scan) == [Secret(0, len(TOKEN), "GitHub token"), Secret(len(TOKEN) + 1, len(TOKEN) + 10, "vendor")]
    assert texts == [" " * len(TOKEN) + " Zx8Kq2Lm9 <token>"]


def test_overlapping_secrets_are_one() -> None:
    text = f"Authorization: Bearer {TOKEN}"
    assert [text[start:end] for start, end, _ in find_secrets(text)] == [TOKEN]


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
