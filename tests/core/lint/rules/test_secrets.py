import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.rules import secrets
from ctxkit.core.lint.rules.secrets import mask_text
from tests.core.lint.asked import asked, codes

BODY = "Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaEe"
REAL = (
    f"sk-ant-api03-{BODY}", f"sk-proj-{BODY}", f"ghp_{BODY[:36]}", f"xoxb-{BODY}", "AKIAJ5XK2PQRS7TUVW3Q", f"AIza{BODY[:35]}",
    f"hf_{BODY}", f"password: {BODY[:14]}", f"API_KEY={BODY}", f"https://ana:{BODY[:12]}@example.org/x", f"密码：{BODY[:12]}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----",
)  # fmt: skip


@pytest.mark.parametrize("text", REAL)
def test_a_secret_is_told_of_and_never_shown(text: str) -> None:
    (found,) = asked(secrets, {"MEMORY.md": f"- It is {text}\n"})
    assert found.code == "HYG007"
    assert BODY[4:12] not in found.message
    assert BODY[6:12] not in mask_text(text)


@pytest.mark.parametrize(
    "text",
    ["sk-ant-...", "ANTHROPIC_API_KEY=$KEY", "token: string", "AKIAIOSFODNN7EXAMPLE", "https://x:$GH_TOKEN@github.com",
     "password: <your password>", "api_key = os.environ['KEY123456']", "secret: see docs/secret-2024.md", "tokens: 1234567890123",
     "token.supply = BigInt.fromI32(0)", "token.createdAt = event.block.timestamp.toI32()", "tokenNamePrefix: 'e2e-embed-feature'",
     "session_key: agent:main:subagent:1bb60a77-4147-49d9-82eb-5945eba3b644", "contract L1TokenGateway is L1StandardBridge {",
     "tokenAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'", "Authorization: Bearer eyJhbGciOiJIUzI1NiIs...",
     "const token = req.headers.authorization?.split(' ')[1];", '"pageToken": "number (optional, 0-based pagination for long strings)"',
     "root login with password (per the previous audit)", "version: 1.2.3-beta.45", "The token is required before 2026-01-01", "pwd=/home/ana/work123456"],
)  # fmt: skip
def test_what_stands_in_for_a_secret_is_none(text: str) -> None:
    assert codes(secrets, {"AGENTS.md": f"- {text}\n"}) == []


@given(st.lists(st.sampled_from([*REAL, "plain words", "\r\n", "漢字"]), max_size=4))
def test_a_masked_text_keeps_its_length_and_its_lines(parts) -> None:
    text = " ".join(parts)
    hidden = mask_text(text)
    assert len(hidden) == len(text)
    assert [at for at, sign in enumerate(hidden) if sign in "\r\n"] == [at for at, sign in enumerate(text) if sign in "\r\n"]


def test_a_long_line_takes_little_time() -> None:
    assert mask_text("token: " * 100_000) == "token: " * 100_000


@pytest.mark.parametrize(
    "line",
    [
        "- Stripe: `api_key = sk_live_abc123`",
        "- Password: SecurePass123!",
        "- The header is -----BEGIN RSA PRIVATE KEY-----, as a pattern",
        "- Example: the token is ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAa",
        "- ❌ api_key = 'Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0'",
        "- key: AKIAIOSFODNN7EXAMPLE",
        "- hmac_token: a1b2c3d4e5f60718",
        "- Authorization: Token 9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b",
    ],
)
def test_what_documentation_makes_up_is_no_error(line: str) -> None:
    assert codes(secrets, {"AGENTS.md": f"{line}\n"}) == []


def test_a_password_that_nobody_makes_up_is_found() -> None:
    assert codes(secrets, {"memory/2026-01-02.md": "## Account\n\n- Password: GjZIqPmYe7ZLtBDPUC3X\n"}) == [("HYG007", 3)]


def test_the_id_of_a_session_and_the_parameters_of_a_generator_are_no_secrets() -> None:
    assert codes(secrets, {"AGENTS.md": "Run `op create --generate-password='32,letters,digits'` first.\n"}) == []
    assert codes(secrets, {"AGENTS.md": "[sessionId: cb0fb6d2-bf95-4e81-a171-28a3ac922183] A job ended.\n"}) == []


def test_a_secret_is_told_of_once_in_a_file() -> None:
    assert codes(secrets, {"MEMORY.md": f"- It is {REAL[0]}\n- Again: {REAL[0]}\n- And {REAL[2]}\n"}) == [("HYG007", 1), ("HYG007", 3)]


@pytest.mark.parametrize(
    "line",
    [
        '"refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA"', '"access_token":"2YotnFZFEjr1zCsicMWpAA"', "Authorization: Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW",
        "Authorization: Bearer mF_9.B5f-4.1JqM", "code_verifier_secret: dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "token: gho_16C7e42F292c6912E7710c838347Ae178B4a",
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "secret_key: 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    ],
)  # fmt: skip
def test_a_sample_of_a_published_specification_or_an_emulator_is_no_secret(line: str) -> None:
    assert codes(secrets, {"AGENTS.md": f"- {line}\n"}) == []
    assert codes(secrets, {"AGENTS.md": f"- {line[:-6]}Zx8Kq2Lm{line[-2:]}\n"}) != []


def test_the_tag_of_an_image_is_no_secret() -> None:
    assert codes(secrets, {"AGENTS.md": "  image: mcr.microsoft.com/aks/msi/addon-token-adapter:master.251201.2\n"}) == []
    assert codes(secrets, {"AGENTS.md": "  addon_token: Zx8Kq2Lm9Rt4Vw7Y\n"}) != []


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ('encryption_key="dGVzdC1lbmNyeXB0aW9uLWtleS0zMi1ieXRlcw=="', False),
        ('encryption_key="p3Xz9LmQ2vRt8KwY1nBc6HdJ4sGf0UaE7oTi5Wxl"  # test key', False),
        ('encryption_key="p3Xz9LmQ2vRt8KwY1nBc6HdJ4sGf0UaE7oTi5Wxl"  # rotate it', True),
        ('encryption_key="p3Xz9LmQ2vRt8KwY1nBc6HdJ4sGf0UaE7oTi5Wxl"', True),
    ],
)
def test_a_secret_that_says_in_base64_or_behind_it_what_it_is_for(line: str, is_found: bool) -> None:
    assert bool(codes(secrets, {"AGENTS.md": f"```python\n{line}\n```\n"})) is is_found
