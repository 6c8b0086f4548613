import pytest

from ctxkit.core.brief.kinds import packages as kind
from tests.core.brief.kinds.test_table import document, mapped

NAMES = ("anyio", "attrs", "babel", "certifi", "httpx", "idna", "numpy", "pandas", "requests", "urllib3", "wheel", "zipp")
FREEZE = "".join(f"{name}=={at}.{at + 1}.0\n" for at, name in enumerate(NAMES)) + "-e git+https://example.org/x.git#egg=x\n"


def test_packages_are_listed_and_other_lines_quoted() -> None:
    text = mapped(FREEZE, 900).text
    assert "- Lines 1-13: 12 packages\n" in text
    assert "- 13: -e git+https://example.org/x.git#egg=x\n" in text
    assert "- Lines 11-12: wheel==10.11.0, zipp==11.12.0\n" in text


@pytest.mark.parametrize("form", ["{}=={}.0", "{}-{}.0-4.fc39.x86_64", "{}@{}.2.1", "{} ({}.6.1)", "{}\t2:{}.1+b1"])
def test_forms(form: str) -> None:
    assert kind.sniff(document("".join(form.format(name, at) + "\n" for at, name in enumerate(NAMES)))) >= 0.7


@pytest.mark.parametrize("text", ["a b c\n" * 20, "temperature 20.5\nhumidity 33.1\n" * 10, "2024-01-02\n2024-01-03\n" * 9, "x=1.5\ny=2.5\n" * 9, ""])
def test_other_lines_are_no_packages(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0
