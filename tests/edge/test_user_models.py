"""The user's table of models is a layer of settings."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.edge.settings import Setting, Settings
from ctxkit.edge.user_models import UserModel, UserModels

MODEL = UserModel("openai/gpt-9", 400_000, 128_000, 1.25, "2031-01-02", "api.json")
BARE = UserModel("gpt-9", 128_000, as_of="2031-01-02", source="-")


def _make_table(path: Path, *models: UserModel, tail: bytes = b"") -> UserModels:
    (path / "models.jsonl").write_bytes(b"".join(model.encode() for model in models) + tail)
    return UserModels(str(path / "models.jsonl"))


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        *(("openai/gpt-9", "openai/gpt-9"), ("OpenAI/GPT-9", "openai/gpt-9"), ("gpt-9", "gpt-9"), ("azure/gpt-9", "gpt-9")),
        *(("gpt-9-mini", ""), ("", ""), ("gpt", "")),
    ],
)
def test_a_model_is_looked_up_in_any_spelling(name: str, listed: str, tmp_path: Path) -> None:
    assert _make_table(tmp_path, MODEL, BARE).find_name(name) == listed


def test_settings_files_override_the_table_and_the_table_gives_the_rest(tmp_path: Path) -> None:
    table = _make_table(tmp_path, MODEL)
    settings = Settings([{"models.openai/gpt-9.window": Setting(9000, "config.toml:2")}], table=table)
    assert settings.window("openai/gpt-9").value == 9000
    price = settings.lookup_for_model("openai/gpt-9", "input_price")
    assert price == (1.25, f"{table.path}, from api.json (2031-01-02)")
    assert settings.lookup_for_model("openai/gpt-9", "as_of").value == "2031-01-02"
    assert settings.lookup_for_model("openai/gpt-9", "price_date").value == "2031-01-02"
    assert settings.lookup_for_model("openai/gpt-9", "tokenizer") is None
    assert settings.models() == ["openai/gpt-9"]


@pytest.mark.parametrize("tail", [b"{", b"{}\n", b'{"key":"x","name":"x","window":"many"}\n', b"\xff\xfe\n", b"[" * 99_999])
def test_a_damaged_line_is_no_model(tail: bytes, tmp_path: Path) -> None:
    table = _make_table(tmp_path, MODEL, tail=tail)
    assert [model.name for model in table.models()] == ["openai/gpt-9"]
    assert table.find_name("x") == ""


def test_a_file_that_is_missing_or_too_large_has_no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert UserModels(str(tmp_path / "none")).find_name("gpt-9") == ""
    monkeypatch.setattr("ctxkit.edge.user_models.LARGEST", 10)
    assert list(_make_table(tmp_path, MODEL).models()) == []


@given(name=st.text(min_size=1), source=st.text())
def test_a_line_comes_back_as_its_model(name: str, source: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    model = UserModel(name, 4096, source=source)
    table = _make_table(tmp_path_factory.getbasetemp(), model)
    assert list(table.models()) == [model]
    assert table[f"models.{name}.window"].value == 4096


def test_many_lookups_find_what_a_few_find(tmp_path: Path) -> None:
    models = [UserModel(f"host/model-{number}b", 4096 + number) for number in range(40)]
    table = _make_table(tmp_path, *models, BARE)
    few = [UserModels(table.path).find_name(name) for name in ("HOST/Model-39b", "gpt-9", "none")]
    for model in models:
        assert table[f"models.{model.name}.window"].value == model.window
    assert [table.find_name(name) for name in ("HOST/Model-39b", "gpt-9", "none")] == few
    assert few == ["host/model-39b", "gpt-9", ""]
