import pytest

pytest.importorskip("tools.models", reason="the tools are in the repository alone")

from ctxkit.core.models.lookup import MODELS
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from tools.cards import ALIASES, CARDS
from tools.families import FAMILIES, family_of
from tools.models import MODELS as MODELS_PACKAGE
from tools.models import TABLES, hosts, prices, roster, rows_of
from tools.registries import Offer, from_litellm, from_models_dev


def dev(host, id_, window, output=0, price=0.0):
    return Offer("models.dev", host, id_, window, output, price)


def lite(host, id_, window, output=0, price=0.0):
    return Offer("litellm", host, id_, window, output, price)


def row_of(name, *offers):
    return next((row for row in rows_of(offers) if row.name == name), None)


def test_the_publisher_comes_before_hosts_and_the_smaller_of_its_figures_holds() -> None:
    many = [dev(f"host{number}", "xai/grok-9", 64_000) for number in range(9)]
    row = row_of("grok-9", dev("xai", "grok-9", 256_000, 30_000), lite("xai", "xai/grok-9", 131_072, 8_192), *many)
    assert (row.window, row.output, row.source) == (131_072, 8_192, "litellm:xai")


def test_weights_have_the_window_that_most_hosts_give_and_the_smaller_of_two() -> None:
    few = [dev("a", "x/qwen9-7b", 32_768), lite("b", "qwen9-7b-instruct", 40_960), dev("c", "Qwen9-7B-FP8", 40_960)]
    assert (row_of("qwen9-7b", *few).window, row_of("qwen9-7b", *few).source) == (40_960, "hosts:2/3")
    assert row_of("qwen9-7b", *few, dev("d", "qwen9-7b", 32_768)).window == 32_768


def test_what_fewer_hosts_than_three_offer_or_no_family_claims_is_left_out() -> None:
    assert row_of("qwen9-7b", dev("a", "qwen9-7b", 1_000), dev("b", "qwen9-7b", 1_000)) is None
    assert row_of("unheard-1", *(dev(host, "unheard-1", 1_000) for host in "abcd")) is None


@pytest.mark.parametrize("name", ["gpt-9-audio", "gpt-9-tts", "qwen9-embedding", "gpt-image-9", "grok-9-realtime"])
def test_what_does_not_converse_is_left_out(name: str) -> None:
    assert row_of(name, *(dev(host, name, 128_000) for host in ("openai", "alibaba", "xai", "d"))) is None


def test_input_that_litellm_gives_of_openais_models_is_less_than_the_window() -> None:
    assert row_of("gpt-9", lite("openai", "gpt-9", 272_000, 128_000)).window == 400_000


def test_releases_that_the_publisher_gives_other_windows_are_rows_of_their_own() -> None:
    offers = [dev("alibaba", "qwen-nine", 8_192), dev("alibaba", "qwen-nine-2031-01-01", 16_384)]
    rows = [row for row in rows_of(offers) if row.name.startswith("qwen-nine")]
    assert [(row.name, row.window, row.exact) for row in rows] == [
        ("qwen-nine", 8_192, True),
        ("qwen-nine-2031-01-01", 16_384, True),
    ]
    assert "\n=qwennine qwen-nine 8192 " in roster(rows_of(offers) + needed())


def needed():
    """Rows that aliases lead to and that no card gives."""
    llama = [dev("llama", f"llama-4-{name}-instruct", 128_000) for name in ("scout-17b-16e", "maverick-17b-128e")]
    mistral = [dev("mistral", name, 8_000) for name in ("open-mistral-7b", "mistral-nemo")]
    return rows_of([*llama, *mistral, lite("openai", "gpt-3.5-turbo", 16_385)])


def test_an_alias_that_leads_nowhere_is_an_error() -> None:
    with pytest.raises(ValueError, match="aliases of no model"):
        roster(rows_of([]))


def test_what_hosts_offer_is_written_by_size() -> None:
    text = hosts(rows_of([dev("xai", "grok-9", 256, 8), lite("xai", "xai/grok-9", 256, 8), dev("b", "grok-9", 128)]))
    assert "\nb@models.dev\nxai@litellm\nxai@models.dev\n" in text
    assert "\ngrok-9 128/0=0 256/8=1,2\n" in text


def test_all_tables_are_written_where_the_program_reads_them() -> None:
    assert sorted(TABLES) == ["host_limits.py", "model_table.py", "price_table.py"]
    for name in TABLES:
        assert "Written by tools/models.py" in (MODELS_PACKAGE / name).read_text()


def test_a_table_is_written_under_the_name_that_the_program_imports() -> None:
    assert "\nHOST_LIMITS = " in hosts([])
    assert "\nHOST_LIMITS = " in (MODELS_PACKAGE / "host_limits.py").read_text()


def test_registries_are_read() -> None:
    model = {"limit": {"context": 100, "output": 10}, "modalities": {"output": ["text"]}}
    image = {"limit": {"context": 100}, "modalities": {"output": ["image"]}}
    none = {"limit": {"context": 0}, "modalities": {"output": ["text"]}}
    assert list(from_models_dev({"a": {"models": {"m": model, "i": image, "n": none}}})) == [dev("a", "m", 100, 10)]
    chat = {"mode": "chat", "litellm_provider": "a", "max_input_tokens": 100, "max_output_tokens": "many"}
    speech, mute = {**chat, "mode": "audio_speech"}, {"mode": "chat", "litellm_provider": "a"}
    assert list(from_litellm({"m": chat, "s": speech, "x": mute})) == [lite("a", "m", 100)]


def test_every_family_has_a_vocabulary_that_there_is() -> None:
    assert {tokenizer for _, tokenizer in FAMILIES} <= set(VOCABULARIES)
    with pytest.raises(KeyError):
        family_of("unheard-of")


def test_every_card_and_every_alias_is_in_the_table_that_was_written() -> None:
    for card in CARDS:
        assert MODELS[card.name].window == card.window, card.name
    assert set(ALIASES.values()) <= {*MODELS, "llama-4-scout-17b-16e-instruct"}


def test_a_price_is_what_the_publisher_asks_by_the_newest_registry() -> None:
    offers = [dev("xai", "grok-9", 9000, price=7.0), lite("xai", "grok-9", 9000, price=3.0)]
    hosted = [dev(f"host{number}", "grok-9", 9000, price=1.0) for number in range(5)]
    assert "\ngrok-9 3 litellm\n" in prices(rows_of([*offers, *hosted]))
    assert "\ngrok-9 7 models.dev\n" in prices(rows_of(offers[:1]))
    assert "grok-9" not in prices(rows_of([dev("xai", "grok-9", 9000), *hosted]))
