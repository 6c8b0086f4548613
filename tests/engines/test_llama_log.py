import subprocess
import sys
from pathlib import Path

import pytest


def test_llama_cpp_says_nothing(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: make test-llama")
    pytest.importorskip("gguf", reason="gguf is not installed: make test-llama")
    from tests.engines.summarizers import tiny

    tiny.write(tmp_path / "tiny.gguf")
    code = f"from ctxkit.engines.tokens import gguf; print(gguf.load_llama_counter({str(tmp_path / 'tiny.gguf')!r})('hello') > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
