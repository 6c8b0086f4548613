import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.redaction.addresses import hide_keys


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
