"""A GGUF model on this machine may summarize: the real llama.cpp, and a model of random weights."""

import pytest

from ctxkit.core.trouble import EngineAbsent, Malformed
from ctxkit.engines.summarizers import llama

GRAMMAR = 'root ::= "# Context\\n\\n## Task\\n" line "\\n"\nline ::= [a-z ]{1,20}'
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: pip install 'ctxkit[llama]'")
    pytest.importorskip("gguf", reason="gguf is not installed: pip install gguf")
    from tests.engines.summarizers import tiny

    return tiny


@pytest.mark.parametrize("template", [None, CHAT])
def test_every_answer_follows_the_grammar(tiny, tmp_path, template):
    path = tmp_path / "tiny.gguf"
    tiny.write(path, template=template)
    voice = llama.voice(str(path), GRAMMAR)
    first = voice.ask("Extract facts.")
    assert first.startswith("# Context\n\n## Task\n")
    assert first == voice.ask("Extract facts.")
    assert voice.room + llama.MARGIN + tiny.WINDOW // 3 == tiny.WINDOW
    assert voice.tokenizer("hello world") > 2


def test_a_file_that_is_no_model(tiny, tmp_path):
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF nothing")
    with pytest.raises(Malformed, match="cannot load"):
        llama.voice(str(path), GRAMMAR)
    with pytest.raises(Malformed, match="cannot load"):
        llama.voice(str(tmp_path / "absent.gguf"), GRAMMAR)


def test_without_llama_cpp(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "llama_cpp", None)
    with pytest.raises(EngineAbsent, match="not installed") as trouble:
        llama.voice("x.gguf", GRAMMAR)
    assert "ctxkit[llama]" in trouble.value.hint
