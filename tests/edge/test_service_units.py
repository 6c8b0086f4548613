import plistlib
import shlex
from configparser import ConfigParser

import pytest

from ctxkit.edge.service_units import UNITS, make_unit

PROGRAMS = ["/usr/bin/ctxkit", "/home/a b/100%/ctxkit", "/it's/\"so\"/a\\b/ctxkit", "/a&b/<c>/ctxkit"]


def read_unit(text: str) -> ConfigParser:
    parser = ConfigParser(interpolation=None, delimiters=("=",), strict=True)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read_string(text)
    return parser


@pytest.mark.parametrize("program", PROGRAMS)
def test_systemd_starts_the_program_that_printed_the_unit(program: str) -> None:
    service = read_unit(make_unit("systemd", program))
    assert shlex.split(service["Service"]["ExecStart"].replace("%%", "%")) == [program, "serve", "--idle", "3600"]
    assert service["Service"]["KillMode"] == "mixed"  # else each process gets the signal, and calls die
    assert service["Unit"]["Requires"] == "ctxkit.socket"


def test_the_socket_is_the_default_one() -> None:
    socket = read_unit(make_unit("systemd-socket", "/x"))["Socket"]
    assert dict(socket) == {"ListenStream": "%t/ctxkit.sock", "SocketMode": "0600"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_launchd_starts_the_program_that_printed_the_file(program: str) -> None:
    value = plistlib.loads(make_unit("launchd", program).encode())
    assert value["ProgramArguments"] == [program, "serve"]
    assert (value["Label"], value["KeepAlive"]) == ("org.ctxkit.serve", True)


@pytest.mark.parametrize("name", UNITS)
def test_no_placeholder_stays(name: str) -> None:
    assert "{" not in make_unit(name, "/usr/bin/ctxkit")
