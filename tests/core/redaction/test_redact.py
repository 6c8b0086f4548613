import random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.redaction.find_secrets import find_secrets
from ctxkit.core.redaction.masking import LONGEST
from ctxkit.core.redaction.redact import BLOCK, Redactor

BODY = "Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaEe"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{BODY}\n{BODY}\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "AKIAJ5XK2PQRS7TUVW3Q": "[redacted: aws access key]",
    f"ghp_{BODY[:36]}": "[redacted: github token]",
    f"github_pat_{BODY}_{BODY}": "[redacted: github fine-grained token]",
    f"glpat-{BODY[:20]}": "[redacted: gitlab token]",
    f"sk-ant-api03-{BODY}": "[redacted: anthropic key]",
    f"sk-proj-{BODY}": "[redacted: openai key]",
    f"AIza{BODY[:35]}": "[redacted: google key]",
    f"xoxb-{BODY}": "[redacted: slack token]",
    f"sk_live_{BODY}": "[redacted: stripe key]",
    f"hf_{BODY}": "[redacted: hugging face token]",
    f"npm_{BODY[:36]}": "[redacted: npm token]",
    f"pypi-{BODY}{BODY}": "[redacted: pypi token]",
    f"SG.{BODY[:22]}.{BODY}": "[redacted: sendgrid key]",
    f"1234567890:AA{BODY[:33]}": "[redacted: telegram bot token]",
    f"eyJ{BODY}.eyJ{BODY}.{BODY}": "[redacted: json web token]",
    f"M{BODY[:23]}.{BODY[:6]}.{BODY[:27]}": "[redacted: discord token]",
    PEM: "[redacted: private key]\n\n\n\n\n",
    f"-----BEGIN PRIVATE KEY-----\r\n{BODY}\r\n{BODY}": "[redacted: private key]\r\n\r\n",
    f"https://ana:{BODY[:12]}@example.org/x": "https://ana:[redacted: password in an address]@example.org/x",
    f"redis://:{BODY[:12]}@cache:6379": "redis://:[redacted: password in an address]@cache:6379",
    f"API_KEY={BODY}": "API_KEY=[redacted: secret]",
    f'password: "{BODY[:14]}"': 'password: "[redacted: secret]"',
    f"The passphrase is {BODY[:14]}.": "The passphrase is [redacted: secret].",
    f"密码：{BODY[:12]}，好": "密码：[redacted: secret]，好",
    rf"{{\"token\": \"{BODY}\"}}": r"{\"token\": \"[redacted: secret]\"}",
}
PLAIN = ("plain words", "\n", "\r\n", "漢字", " ", "sk-", "-----BEGIN PRIVATE KEY-----", "AKIA", "://a:", "\xff", "token=", "_", "x", '"')
mixed = st.lists(st.sampled_from([*SECRETS, *PLAIN]), max_size=8).map("".join)


def redact(data: bytes, size: int = 1 << 20) -> tuple[bytes, int]:
    redactor = Redactor()
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    return b"".join(redactor.redact(pieces)), redactor.count


@pytest.mark.parametrize(("text", "shown"), SECRETS.items())
def test_each_kind_is_masked_by_a_text_that_names_it_and_the_rest_stays(text: str, shown: str) -> None:
    assert redact(f"before {text} after\n".encode()) == (f"before {shown} after\n".encode(), 1)


@pytest.mark.parametrize(
    "text",
    ["sk-ant-...", "ANTHROPIC_API_KEY=$KEY", "token: string", "https://x:$GH_TOKEN@/", "password: <your password>", "AKIA",
     "api_key = os.environ['KEY123456']", "tokens: 1234567890123", "version: 1.2.3-beta.45", "http://localhost:8080/a@b.c",
     "the task-manager-that-has-a-name-of-many-many-words", "xAKIAJ5XK2PQRS7TUVW3Q", "AKIAIOSFODNN7EXAMPLE", "sk-learn-contrib-something-very-long-package-name-1"],
)  # fmt: skip
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(f"- {text}\n".encode()) == (f"- {text}\n".encode(), 0)


@given(st.binary(max_size=300))
def test_bytes_without_secrets_pass_as_they_are(data: bytes) -> None:
    assert redact(data) == (data, 0)


@given(mixed)
def test_what_was_masked_is_not_masked_again(text: str) -> None:
    once, _ = redact(text.encode("latin-1", "ignore") + text.encode())
    assert redact(once) == (once, 0)


@given(mixed)
def test_lines_keep_their_numbers(text: str) -> None:
    data = text.encode()
    masked, _ = redact(data)
    assert (masked.count(b"\n"), masked.count(b"\r")) == (data.count(b"\n"), data.count(b"\r"))


@given(mixed)
def test_whatever_the_linter_calls_a_secret_is_gone(text: str) -> None:
    masked = redact(text.encode())[0].decode()
    for start, end, _ in find_secrets(text):
        secret = text[start:end]
        assert secret not in masked or masked.count(secret) < text.count(secret)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_how_the_stream_is_cut_makes_no_difference(seed: int) -> None:
    chance = random.Random(seed)
    filler = ("x" * 997, "word " * 300, "\n" * 50, "a-b.c_" * 2000, "sk-" + "q" * 9000, f"-----BEGIN PRIVATE KEY-----\n{'A' * 60}\n" * 300)
    data = "".join(chance.choice([*SECRETS, *filler, "\n"]) for _ in range(700)).encode()
    assert len(data) > BLOCK + LONGEST
    whole = redact(data, len(data))
    for size in (BLOCK, BLOCK + 1, 4097, 65_536 + chance.randrange(1000)):
        assert redact(data, size) == whole


@pytest.mark.parametrize("shift", range(0, 45, 4))
def test_a_key_on_the_border_of_two_blocks_is_masked(shift: int) -> None:
    secret = f"ghp_{BODY[:36]}".encode()
    before = b"." * (BLOCK + LONGEST - shift)
    assert redact(before + secret + b"\n", 8192) == (before + b"[redacted: github token]\n", 1)


def test_no_character_is_cut_in_two() -> None:
    for shift in range(3):
        data = f"token={BODY}{'b' * shift}{'漢字' * 40} end".encode()
        masked, count = redact(data)
        assert count == 1
        masked.decode()


def test_a_word_that_a_secret_ends_in_goes_whole_however_long() -> None:
    data = f"sk-{BODY}".encode() * 1 + b"a" * (3 * BLOCK) + b" end"
    assert redact(data, 10_000) == (b"[redacted: openai key] end", 1)


def test_what_is_held_back_is_bounded() -> None:
    redactor, held = Redactor(), 0
    chunk, given_out, taken = b"word " * 2000, 0, 0

    def chunks():
        nonlocal taken
        for _ in range(300):
            taken += len(chunk)
            yield chunk

    for piece in redactor.redact(chunks()):
        given_out += len(piece)
        held = max(held, taken - given_out)
    assert held <= BLOCK + LONGEST + len(chunk)
    assert given_out == taken


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_masked_in_its_own_encoding(encoding: str, mark: str) -> None:
    text = f"{mark}key: ghp_{BODY[:36]}\r\n漢漢é漢漢\ud800 🙂\n"
    data = text.encode(encoding, "surrogatepass")
    shown = text.replace(f"ghp_{BODY[:36]}", "[redacted: github token]").encode(encoding, "surrogatepass")
    assert redact(data, 7) == (shown, 1)
    assert redact(data + b"\0", 7) == (shown + b"\0", 1)


@pytest.mark.quick_cases(11)
@pytest.mark.parametrize(
    "unit",
    [b"\n", b" ", b"a", b"-", b"_", b":", b"=", b"sk-", b"eyJ", b"eyJ-", b"eyJaaaaaaaaaa.", b"token", b"token=", b"password:", b"://", b"://a:",
     b"://a:b@", b"-----BEGIN PRIVATE KEY-----", b"-----BEGIN PRIVATE KEY-----\n", b"-----", b"-----END PRIVATE KEY-----", b"MAAA", b"M-",
     b"12345678:AA", b"xoxb-", b"SG.", b"A", b"gh", b"secret is ", b'api_key="', b"\\", b"access ", b"0", b"Aa1", b"://aaaaaa:aaaaaa"],
)  # fmt: skip
def test_no_content_takes_more_than_linear_time(unit: bytes) -> None:
    data = (unit * (1 << 18))[: 1 << 18]
    started = process_time()
    redact(data)
    assert process_time() - started < 1
