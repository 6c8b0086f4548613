"""Silence the log output of llama.cpp on stderr."""

from functools import cache
from typing import Any


@cache
def silence() -> Any:
    """Silence llama.cpp permanently, warnings included; keep the returned callback as long as the process."""
    import llama_cpp

    quiet = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(quiet, None)
    return quiet
