"""The HTTP of ``ctxkit proxy``: requests of clients, and requests to the upstream."""
