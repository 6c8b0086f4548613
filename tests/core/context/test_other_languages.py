import time

import pytest

from ctxkit.core.context.other_languages import asks_in_other_language, demands_in_other_language, is_foreign


@pytest.mark.parametrize(
    "sentence",
    [
        "Ändere niemals die Tests.",
        "Bitte nur src/ ändern.",
        "Ne touche pas aux tests.",
        "Usa siempre pnpm.",
        "Никогда не трогай тесты.",
        "不要修改测试。",
        "テストは変更しないでください。",
        "枕詞は不要です。",
        "테스트는 수정하지 마세요.",
    ],
)
def test_demands(sentence: str) -> None:
    assert demands_in_other_language(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "이진 탐색은 한 번 루프를 돌 때마다 탐색해야 하는 데이터의 수가 절반 정도로 줄어들죠.",
        "Kablolar sadece görsel olmamalı.",
        "これにより、ルールが再実行されるようになります。",
        "Frequenz ist nur einstellbar.",
        "La página no carga.",
        "The parser reads only rows.",
    ],
)
def test_reports_demand_nothing(sentence: str) -> None:
    assert not demands_in_other_language(sentence)


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("コマンドで反映してください。", True),
        ("请修改布局", True),
        ("Ajoute un test.", True),
        ("¿Por qué falla?", True),
        ("hataları düzelt", True),
        ("不明な点があります。", False),
        ("Le test est lent.", False),
        ("Kablolar sabit kalıyor.", False),
    ],
)
def test_requests(sentence: str, asks: bool) -> None:
    assert asks_in_other_language(sentence) is asks


def test_a_letter_that_english_lacks_is_foreign() -> None:
    assert is_foreign("naïve")
    assert not is_foreign("naive 12")


@pytest.mark.slow
def test_long_sentences_take_linear_time() -> None:
    begin = time.perf_counter()
    for sentence in ("nicht " * 60_000, "必ず" * 3_000, "bitte " * 60_000):
        demands_in_other_language(sentence)
        asks_in_other_language(sentence)
    assert time.perf_counter() - begin < 10
