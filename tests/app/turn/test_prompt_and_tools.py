"""The parts of a turn's request: each that fails falls back to its plain form, with a warning."""

import json
from pathlib import Path

import pytest

from ctxkit.app.services import engines
from ctxkit.app.turn import prompt_and_tools
from ctxkit.app.turn.prompt_and_tools import find_max_tokens, read_prompt, read_tools
from ctxkit.core.compact.services import TokenCounter
from ctxkit.core.prompt import PromptSection
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Settings, load
from ctxkit.edge.tool_files import ToolFiles

REQUEST = CliRequest(window=8192, tokenizer="bytes/3")
SECTIONS = [PromptSection("base", "Be careful."), PromptSection("skills", "Publish."), PromptSection("status", "83%")]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load({"CTXKIT_DATA_DIR": str(tmp_path / "data"), "CTXKIT_CACHE_DIR": str(tmp_path / "cache")}, str(tmp_path))


@pytest.fixture
def counter(settings: Settings) -> TokenCounter:
    options = engines.make_count_options(REQUEST, settings)
    return TokenCounter(options.vocabulary, options.count)


@pytest.fixture
def tools(tmp_path: Path):
    file = tmp_path / "tools.json"
    listed = [{"name": f"t{number}", "description": "Do it. " * 60} for number in range(29)]
    file.write_text(json.dumps([*listed, {"name": "tool_search", "description": "Find tools."}]))
    return ToolFiles((str(file),)).read()


def test_a_prompt_has_static_and_volatile_text(settings: Settings, counter: TokenCounter) -> None:
    """Seed 001: "Build system prompt via PromptBuilder"."""
    prompt = read_prompt(SECTIONS, "openai", Call(REQUEST, settings), counter)
    assert prompt.system.text == "Be careful.\n\nPublish.\n"
    assert (prompt.skills, prompt.volatile) == (("Publish.",), "83%\n")
    assert read_prompt((), "openai", Call(REQUEST, settings), counter).system.text == ""


def test_a_prompt_that_cannot_be_built_is_joined(monkeypatch, capsys, settings, counter) -> None:
    """Seed 001: "PromptBuilder fails -> string concatenation fallback"."""

    def fail(*_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(prompt_and_tools, "_build_prompt", fail)
    prompt = read_prompt(SECTIONS, "openai", Call(REQUEST, settings), counter)
    assert prompt.system == ("Be careful.\nPublish.\n83%", None, ())
    assert "the system prompt is plain text" in capsys.readouterr().err
    with pytest.raises(ValueError, match="broken"):
        read_prompt(SECTIONS, "openai", Call(REQUEST._replace(strict=True), settings), counter)


def test_tools_above_the_threshold_are_deferred(settings: Settings, tools) -> None:
    options = engines.make_count_options(REQUEST, settings)
    selected = read_tools(tools, "anthropic", Call(REQUEST, settings), options)
    assert 0 < len(selected.deferred) < 30
    definitions = json.loads(selected.text)
    assert len(definitions) + len(selected.deferred) == 30
    assert definitions[0]["description"] == "Do it. " * 60
    assert read_tools(None, "openai", Call(REQUEST, settings), options) == ("", ())


def test_without_a_selection_all_tools_are_loaded(monkeypatch, capsys, settings, tools) -> None:
    """Seed 001: "DeferralManager fails -> all tools loaded"."""

    def fail(*_: object) -> None:
        raise OSError("no database")

    monkeypatch.setattr(prompt_and_tools, "_defer_tools", fail)
    selected = read_tools(tools, "openai", Call(REQUEST, settings), engines.make_count_options(REQUEST, settings))
    assert (len(json.loads(selected.text)), selected.deferred) == (30, ())
    assert "no tools are deferred: no database" in capsys.readouterr().err


def test_an_answer_takes_at_most_the_reserve(settings: Settings) -> None:
    assert find_max_tokens(Call(REQUEST, settings), 1000) == 1000
    assert find_max_tokens(Call(CliRequest(model="claude-sonnet-4-5"), settings), 10**9) < 10**6
