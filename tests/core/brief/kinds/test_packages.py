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


APT = "Listing...\n" + "".join(
    f"{name}/stable{',now' * (at == 3)} {at}.{at + 1}-2 {'all' if at == 5 else 'amd64'}{' [installed]' * (at == 3)}\n"
    for at, name in enumerate(NAMES)
)


def test_further_fields_are_counted_and_rare_values_quoted() -> None:
    assert kind.sniff(document(APT)) > 0.7
    text = mapped(APT, 900).text
    assert "- by suite: stable 11, stable,now 1\n  - 5: certifi/stable,now 3.4-2 amd64 [installed]\n" in text
    assert "- by column 3: amd64 11, all 1\n  - 7: idna/stable 5.6-2 all\n" in text
    assert "- by state (in 1 of 12): [installed] 1\n" in text


def test_a_run_leaves_out_what_most_packages_share() -> None:
    text = mapped(APT, 900).text
    assert "## Packages (stable, amd64 unless it says otherwise)\n" in text
    assert "anyio 0.1-2, attrs 1.2-2, babel 2.3-2, certifi 3.4-2 stable,now [installed], httpx 4.5-2, idna 5.6-2 all" in text


def test_short_of_tokens_the_names_alone_are_listed() -> None:
    text = mapped("".join(f"package-{at}/stable {at}.1.2-3 amd64\n" for at in range(110)), 700).text
    assert "## Packages by name\n- Lines 1-10: package-0, package-1, " in text
    assert "- Lines 101-110: package-100, " in text


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"file{at}.txt 2024-01-0{at} 12:30\n" for at in range(1, 10)),
        "".join(f"host{at} 10.0.0.{at}\n" for at in range(1, 30)),
        "".join(f"stage{at} {at}.25 ms\n" for at in range(1, 30)),
    ],
)
def test_names_with_dates_addresses_or_amounts_are_no_packages(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


def test_a_list_too_long_to_hold_is_left_to_other_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "MAX_PACKAGES", 11)
    assert kind.outline(document(APT)) is None
    assert kind.outline(document(APT[: APT.index("zipp")])) is not None
