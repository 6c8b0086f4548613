"""How much work a search for secrets does."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.redaction import masking
from ctxkit.core.redaction.find_secrets import find_secrets
from ctxkit.core.redaction.masking import MAX_WORD_LENGTH, hide_keys, mask_command, mask_secrets
from ctxkit.core.store.label import mask_title
from ctxkit.edge.setting_definitions import format_value

BODY = "Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaEe"
ODD_ADDRESSES = [
    *("redis://:p@SECRETw0rd@host:6379", "rediss://u:SECRET/w0rd@host/0", "redis://u:SECRET w0rd@host"),
    *("https://user:p%40SECRETw0rd@host/x", "HTTPS://User:SECRETw0rd@Host/", "https://user:SECRETw0rd#x@host/"),
    *("https://SECRETtok3n1234567@host/x.git", "//user:SECRETw0rd@host/path", "https:/user:SECRETw0rd@host"),
    *("https:user:SECRETw0rd@host", "user:SECRETw0rd@host:6379", "postgres://u:SECRET:w0rd@[::1]:5432/db"),
    *("redis://host?password=SECRETw0rd", "jdbc:postgresql://h/db?user=a&password=SECRETw0rd", "redis://u:SECRETw0rd"),
    *("redis://u:SECRETw0rd@", "http://u:SECRET\\w0rd@h", "redis:\\\\u:SECRETw0rd@h", "ftp://u;SECRETw0rd@h"),
    *("redis://u:'SECRETw0rd'@h", 'https://u:"SECRETw0rd"@h', "https://u:SECRETw0rd\t@h", "redis://u%3ASECRETw0rd@h"),
]


@pytest.mark.parametrize("address", ODD_ADDRESSES)
def test_a_password_in_an_address_that_is_not_well_formed_is_masked(address: str) -> None:
    for text in (address, f"cannot reach {address}: refused", f"x={address}"):
        for mask in (mask_secrets, mask_title, format_value, lambda text: mask_command(["curl", text])):
            assert "SECRET" not in mask(text), mask(text)


@pytest.mark.parametrize(
    "text",
    [
        *("http://host:8080/v1@latest", "git@github.com:owner/name.git", "ssh://git@host/x", "mailto:ana@example.com"),
        *("repo/name:tag@sha256:abcdef", "npm:react@18.2", "file:///C:/x", "src/a.py:12: see ana@example.com"),
        *("http://localhost:$PORT/", "http://localhost:${PORT}/x", "ana@example.com", "10:30@office", "a: b@c"),
    ],
)
def test_what_is_no_password_stays(text: str) -> None:
    assert mask_secrets(text) == mask_title(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://ana:pw@host/v1: refused", "http://ana:***@host/v1: refused"),
        ("https://ana:p@ss/w:rd@host:8080/v1", "https://ana:***@host:8080/v1"),
        ("redis://:pw@cache:6379/0", "redis://:***@cache:6379/0"),
        ("http://host:8080/v1@latest is down", "http://host:8080/v1@latest is down"),
        ("api_key = 'top secret'", "api_key = ***"),
        ("?api_key=abc&room=6000", "?api_key=***&room=6000"),
        ("MY_SERVICE_TOKEN=abc", "MY_SERVICE_TOKEN=***"),
        ("token=abc, tokens=5", "token=***, tokens=5"),
        ("Authorization: Bearer abc", "Authorization: Bearer ***"),
        ("authorization=Basic YW5hOnB3", "authorization=Basic ***"),
        ('{"Authorization": "abc"}', '{"Authorization": "***"}'),
        ("X-Api-Key: abc", "X-Api-Key: ***"),
        (f"bad key sk-proj-{BODY} here", "bad key *** here"),
        (f"sk-ant-{BODY} and ghp_{BODY[:36]}", "*** and ***"),
        ("unexpected token: line 1 column 3", "unexpected token: line 1 column 3"),
        ("unknown tokenizer: qwen", "unknown tokenizer: qwen"),
        ("/etc/passwd: line 1 is not JSON", "/etc/passwd: line 1 is not JSON"),
        ("password: hunter2", "password: ***"),
        ("--max-tokens=5 --tokenizer=x", "--max-tokens=5 --tokenizer=x"),
        ("", ""),
    ],
)
def test_a_message_is_shown_without_passwords_and_keys(text: str, shown: str) -> None:
    assert mask_secrets(text) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["cargo", "test"], "cargo test"),
        (["mysql", "--password", "hunter 2", "db"], "mysql --password *** db"),
        (["mysql", "--password=hunter2", "db"], "mysql --password=*** db"),
        (["x", "--token=a b", "--api-key", "k", "-p", "80"], "x --token=*** --api-key *** -p 80"),
        (["x", "--authToken", "a", "--no-auth", "--url", "u"], "x --authToken *** --no-auth --url u"),
        (["env", "API_KEY=abc", "AWS_SECRET_ACCESS_KEY=x", "PATH=/bin", "make"], "env API_KEY=*** AWS_SECRET_ACCESS_KEY=*** PATH=/bin make"),
        (["curl", "-H", "Authorization: Bearer abc", "u"], "curl -H 'Authorization: Bearer ***' u"),
        (["curl", "-u", "ana:pw", "https://ana:pw@h/"], "curl -u ana:*** https://ana:***@h/"),
        (["sh", "-c", "API_KEY='a b' ./x --token abc | head -5"], "sh -c 'API_KEY=*** ./x --token *** | head -5'"),
        (["echo", f"ghp_{BODY[:36]}"], "echo ***"),
        (["git", "log", "--author", "ana", "--keyword=x"], "git log --author ana --keyword=x"),
        (["two words", "$(x)"], "'two words' '$(x)'"),
        (["x", ""], "x ''"),
    ],
)  # fmt: skip
def test_a_command_line_is_shown_without_the_values_of_key_like_options(words: list[str], shown: str) -> None:
    assert mask_command(words) == shown


@given(st.lists(st.sampled_from(["--password=", "API_KEY=", "Authorization: ", "https://a:", "@b", BODY, f" ghp_{BODY[:36]}", " "])).map("".join))
def test_what_is_masked_stays_so(text: str) -> None:
    once = mask_secrets(text)
    assert mask_secrets(once) == once
    assert f" ghp_{BODY[:36]} " not in f"{once} "


def test_a_word_of_any_length_takes_little_time() -> None:
    started = process_time()
    for unit in ("://a:", "a:/", "@", "a:b@", "//a:\"", "\\", " ", "a.", "--token=", "api_", "authorization ", "'", "-", "=", "A=", "x" * 999):
        mask_command([unit * (100_000 // len(unit)), "x"])
        mask_secrets(unit * (50_000 // len(unit)))
    assert process_time() - started < 5
    assert len(mask_command(["x" * 100_000])) == MAX_WORD_LENGTH


KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"


def test_patterns_are_tried_only_on_text_that_has_their_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = []
    compile_pattern = masking.compile_pattern
    monkeypatch.setattr(masking, "compile_pattern", lambda kind: kinds.append(kind) or compile_pattern(kind))
    assert find_secrets("the link points to a missing file: b1") == []
    assert kinds == []
    assert find_secrets(f"a key {KEY}, and one more") == [(6, 6 + len(KEY), "Anthropic key")]
    assert kinds == ["Anthropic key", "OpenAI key"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://localhost:8080", "http://localhost:8080"),
        ("https://ana:hunter22@host/v1/models?key=abc#part", "https://host/v1/models"),
        ("https://hunter22@host:443/v1", "https://host:443/v1"),
        ("http://[::1]:8080/v1?api_key=abc", "http://[::1]:8080/v1"),
        ("https://ana:hunter22@host:port/v1", "https://***"),
        ("https://host/sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0/models", "https://host/***/models"),
        ("models.json", "models.json"),
        ("-", "-"),
    ],
)
def test_an_address_is_shown_without_keys(address: str, shown: str) -> None:
    assert hide_keys(address) == shown


KEYS = st.text("abcdefgh0123456789", min_size=8, max_size=20).map("KEY".__add__)


@given(KEYS, st.sampled_from(["https://u:{}@h/v1", "https://{}@h", "http://h/m?k={}", "http://h#{}", "https://u:{}@[h/", "http://u:{}@h:x/?{}"]))
def test_no_key_stays_in_the_user_the_password_the_query_and_the_fragment(key: str, form: str) -> None:
    assert key.lower() not in hide_keys(form.replace("{}", key)).lower()
