"""Which man page to read after which."""

SEE_ALSO = {
    "ctxkit gate": ("ctxkit run", "ctxkit brief", "ctxkit cache get"),
    "ctxkit run": ("ctxkit gate", "ctxkit cache get"),
    "ctxkit brief": ("ctxkit gate", "ctxkit cache get"),
    "ctxkit cache put": ("ctxkit cache get",),
    "ctxkit cache get": ("ctxkit cache list", "ctxkit cache path", "ctxkit gate"),
    "ctxkit cache list": ("ctxkit cache get", "ctxkit cache stat"),
    "ctxkit cache path": ("ctxkit cache get",),
    "ctxkit cache rm": ("ctxkit cache gc",),
    "ctxkit cache gc": ("ctxkit cache rm", "ctxkit cache stat"),
    "ctxkit cache stat": ("ctxkit cache gc", "ctxkit cache list"),
    "ctxkit cache verify": ("ctxkit cache rm",),
    "ctxkit session new": ("ctxkit gate", "ctxkit session status"),
    "ctxkit session status": ("ctxkit session reset", "ctxkit session list"),
    "ctxkit session reset": ("ctxkit session status",),
    "ctxkit session list": ("ctxkit session status", "ctxkit session rm"),
    "ctxkit session rm": ("ctxkit session list", "ctxkit cache gc"),
    "ctxkit models list": ("ctxkit models show",),
    "ctxkit models show": ("ctxkit models list", "ctxkit doctor"),
    "ctxkit doctor": ("ctxkit models show", "ctxkit cache verify", "ctxkit cache stat"),
}
"""Pages to read next, beside those above and below a verb."""
