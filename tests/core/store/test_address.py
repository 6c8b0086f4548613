import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.address import StoreAddress, parse_address


@pytest.mark.parametrize(
    ("text", "address", "place"),
    [
        ("redis://h", StoreAddress("h"), "redis://h:6379/0"),
        ("valkey://h:7/2", StoreAddress("h", 7, db=2), "redis://h:7/2"),
        ("redis://h?db=3", StoreAddress("h", db=3), "redis://h:6379/3"),
        (
            "rediss://me:p%40ss@h/1?prefix=team&ca=/ca.pem",
            StoreAddress("h", db=1, user="me", password="p@ss", tls=True, prefix="team", ca="/ca.pem"),
            "rediss://h:6379/1?prefix=team",
        ),
        ("redis://:secret@[::1]:8?cluster=1", StoreAddress("::1", 8, password="secret", cluster=True), "redis://[::1]:8/0"),
        ("unix:///run/r.sock?db=4", StoreAddress(path="/run/r.sock", db=4), "unix:///run/r.sock"),
    ],
)
def test_a_url_names_a_server(text: str, address: StoreAddress, place: str) -> None:
    assert parse_address(text) == address
    assert parse_address(text).place == place


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("http://h", "is not the URL of a store"),
        ("redis:/h", "names no host"),
        ("redis://", "names no host"),
        ("redis://h:99999", "is not the URL of a store"),
        ("redis://h/one", "does not name a database"),
        ("redis://h?prefix=a{b}", "invalid prefix"),
        ("redis://h?prefix=", "invalid prefix"),
        ("redis://h?prefix=team:red", "invalid prefix"),  # a user of the keys team:* could read it
        ("redis://h?colour=red", "unknown option colour"),
        ("unix://run/r.sock", "does not name a socket"),
    ],
)
def test_a_wrong_url_says_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_address(text)


@given(st.text())
def test_any_text_is_an_address_or_a_value_error(text: str) -> None:
    try:
        address = parse_address(text)
    except ValueError:
        return
    assert address.host or address.path


@given(st.text(min_size=1), st.text(min_size=1))
def test_the_place_shows_no_password(user: str, password: str) -> None:
    from urllib.parse import quote

    address = parse_address(f"redis://{quote(user, safe='')}:{quote(password, safe='')}@h")
    assert (address.user, address.password) == (user, password)
    assert address.place == "redis://h:6379/0"
