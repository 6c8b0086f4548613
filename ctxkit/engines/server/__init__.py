"""The server of ``ctxkit serve``: listeners, processes that answer, and HTTP."""
