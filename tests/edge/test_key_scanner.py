"""The process that knows the key formats of betterleaks."""

import os
import signal
from collections.abc import Iterator

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.edge.key_scanner import KeyScannerProcess

KEY = "lin_api_L5lRbIeoWdHmf5ee6Pm0aIEJsAGjFiLytOG0ZkSb"
pytest.importorskip("betterleaks")


@pytest.fixture(scope="module")
def scanner() -> Iterator[KeyScannerProcess]:
    scanner = KeyScannerProcess()
    yield scanner
    scanner.close()


@pytest.mark.parametrize(
    "text", [f"a {KEY} b", f"{KEY} # gitleaks:allow", f"{KEY} // BetterLeaks:Allow", f"\0{KEY}", f"{'x ' * 32766}{KEY}", f"\ud800 {KEY}"]
)
def test_content_cannot_hide_a_key_from_the_scanner(scanner: KeyScannerProcess, text: str) -> None:
    assert [value for _, value in scanner.scan(text)] == [KEY]


def test_text_without_a_key_has_none(scanner: KeyScannerProcess) -> None:
    assert scanner.scan("") == scanner.scan("plain words\n" * 9) == []


def test_a_scanner_that_dies_is_an_error_and_the_next_text_starts_another() -> None:
    scanner = KeyScannerProcess()
    scanner.scan("")
    os.kill(scanner._process.pid, signal.SIGKILL)
    scanner._process.wait()
    with pytest.raises(InputOutputError, match="the scanner for keys failed"):
        scanner.scan("text")
    assert [value for _, value in scanner.scan(KEY)] == [KEY]
    scanner.close()
