"""Secrets are found by their places, also with escapes inside and over wraps."""

import pytest

from ctxkit.core.redaction.find_secrets import Secret, find_secrets

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
