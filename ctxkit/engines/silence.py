"""llama.cpp without its own talk, which would stand between ctxkit's words on stderr."""

from functools import cache
from typing import Any


@cache
def silence() -> Any:
    """Silence llama.cpp for good, its warnings too; what is returned must live as long as the process."""
    import llama_cpp

    quiet = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(quiet, None)
    return quiet
