"""Make the script that a host calls for its events."""

from ctxkit.core.text.shell import quote

HOOK = "hook"
"""Name of the script in the directory of a host."""
HOOK_SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init {host}". Remove it with "ctxkit init {host} --remove".
ctxkit={ctxkit}
python={python}
if [ -x "$ctxkit" ] && [ -x "$python" ]; then
    "$ctxkit" hook {host}
fi
exit 0
"""


def make_hook_script(host: str, ctxkit: str, python: str) -> str:
    """Return the program that hooks call, which does nothing if ctxkit or its Python is gone."""
    return HOOK_SCRIPT.format(host=host, ctxkit=quote(ctxkit), python=quote(python))


def make_hook_command(directory: str) -> str:
    """Return the command of a hook, which does nothing if its program is gone."""
    program = quote(f"{directory}/{HOOK}")
    return f"[ ! -x {program} ] || {program}"
