"""The process of the model may be any program that goes wrong: the one that asks lives on, and says so once."""

import sys
import time

import pytest

from ctxkit.core.compact.services import EXTRACT, make_summary_writer
from ctxkit.core.errors import InputOutputError
from ctxkit.core.summary.model_summarizer import make_model_summarizer
from ctxkit.engines.summarizers import llama
from tests.core.compact.test_services import MATTER

LOADED = "import os, sys; from ctxkit.engines.worker_process import pack_message; os.write(1, pack_message('loaded', 2000)); "
EATS = "import resource; resource.setrlimit(resource.RLIMIT_DATA, (1 << 28, 1 << 28)); bytearray(1 << 30)"
FAULTS = {
    "a crash": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
    "a crash later": (LOADED + "import signal; os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
    "an end": ("pass", "ended without an answer"),
    "memory": (EATS, "ended without an answer"),
    "garbage": ("print('hello, this is no message at all' * 9)", "garbage"),
    "another type": (LOADED.replace("2000", "'many'"), "garbage"),
    "another value": ("import os; os.write(1, (5).to_bytes(8, 'big') + b'hello' * 9)", "garbage"),
    "a hang": ("import time; time.sleep(60)", "no answer in 0.5 s"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_process_does_the_summary_is_made_without_it(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said = FAULTS[fault]
    if fault == "a hang":
        monkeypatch.setattr(llama, "LOAD_SECONDS", 0.5)
    warnings: list[str] = []

    def call():
        return llama.open_chat_model("x.gguf", "root ::= [a-z]", 5, (sys.executable, "-c", code))

    began = time.monotonic()
    written = make_summary_writer("llama:x.gguf", make_model_summarizer(call), warnings.append)(MATTER)
    assert (written.writer, written.fell_back) == (EXTRACT, True)
    assert len(warnings) == 1
    assert said in warnings[0] or "Broken pipe" in warnings[0]  # it may have ended before it was asked
    assert time.monotonic() - began < 20


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(InputOutputError, match="No such file"):
        llama.open_chat_model("x.gguf", "root ::= [a-z]", 5, ("/no/such/python",))
