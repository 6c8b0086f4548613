"""Read the files that let a service manager start ``ctxkit serve``."""

import re
from collections.abc import Callable
from importlib.resources import files
from typing import NamedTuple
from xml.sax.saxutils import escape

_BARE = re.compile(r"[\w./+@:,=-]+", re.ASCII)
"""A path that systemd reads as it is."""


def quote_for_systemd(path: str) -> str:
    """Return the path of a program as one word of ExecStart (systemd.service(5))."""
    text = path.replace("%", "%%")
    if _BARE.fullmatch(path):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class _Unit(NamedTuple):
    file: str
    quote: Callable[[str], str]


_UNITS = {
    "systemd": _Unit("ctxkit.service", quote_for_systemd),
    "systemd-socket": _Unit("ctxkit.socket", str),
    "launchd": _Unit("org.ctxkit.serve.plist", escape),
}
UNITS = tuple(_UNITS)
"""The names of the files."""


def make_unit(name: str, program: str) -> str:
    """Return the text of a file, in which ``program`` is the path of ctxkit."""
    unit = _UNITS[name]
    text = files("ctxkit").joinpath("data", "units", unit.file).read_text(encoding="utf-8")
    return text.replace("{ctxkit}", unit.quote(program))
