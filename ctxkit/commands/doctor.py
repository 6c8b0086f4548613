"""ctxkit doctor."""

import os
from collections.abc import Iterable, Iterator
from itertools import groupby

import click

from ctxkit.app import doctor
from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError, Exit, UsageError
from ctxkit.core.hosts.trials import TRIALS
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.edge import gguf_search, options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctxkit.app.doctor import PurgeResult
    from ctxkit.engines.own_state import OwnFiles

SIGNS = {"ok": " ", "absent": "-", "bad": "!"}
"""What stands before a line: a blank for what is well, a dash for what is not there, a mark for what is wrong."""


@click.command("doctor", cls=Verb)
@click.argument("host", metavar="[HOST]", type=click.Choice(list(TRIALS)), required=False)
@option("--purge", is_flag=True, help="Remove all that ctxkit keeps, and its setup in all hosts.")
@option("-y", "--yes", "confirmed", is_flag=True, help="Do not ask before --purge removes anything.")
@options.json_option
def command(host: str | None, purge: bool, confirmed: bool, as_json: bool) -> Exit:
    """Check the machine, the store and every setting, or an agent host.

    doctor shows the source of each setting. A line that begins with ! needs your
    attention, and the exit status is then 1. A line that begins with - names something
    optional that is missing. doctor downloads nothing, and without --purge changes nothing.

    With HOST, such as codex, doctor starts the installed host twice in a home of its own,
    without ctxkit and with it. A scripted model on this machine calls its shell tool. The
    checks say what the model sees: the map, the status, the directory and the rules.

    With --purge, doctor checks nothing. It takes ctxkit out of the settings of all hosts, and
    removes content, sessions, histories, indexes, records and the table of models of this
    user. It asks on a terminal, and needs --yes elsewhere. Your settings file stays.

    \b
    $ ctxkit doctor
    $ ctxkit doctor codex
    """
    if confirmed and not purge:
        raise UsageError("--yes is for --purge")
    if purge:
        if host is not None:
            raise UsageError("--purge takes no HOST", hint=f"ctxkit init {host} --remove")
        return _purge(settings.load(), confirmed=confirmed, as_json=as_json)
    errors: list[CtxkitError] = []
    config = settings.load(blame=errors.append)
    checks = list(_run_checks(config, errors) if host is None else _try_host(host, config))
    bad = sum(check.state == "bad" for check in checks)
    if as_json:
        out.write_json({"well": not bad, "checks": [check._asdict() for check in checks]})
    else:
        out.write_listing("".join(f"{line}\n" for line in _format_checks(checks)) + _summarize(bad))
    return Exit.NO if bad else Exit.DONE


def _write_removed(result: "PurgeResult", *, as_json: bool) -> None:
    """Print what was removed."""
    if as_json:
        directories = [
            {"directory": path, "files": files, "bytes": size} for path, files, size, _ in result.directories
        ]
        hosts = [{"host": name, "settings": path} for name, path in result.hosts]
        out.write_json({"hosts": hosts, "directories": directories, "left": list(result.left)})
        return
    lines = [f"removed the setup of {name} from {path}" for name, path in result.hosts]
    lines += [f"removed {_format_files(files)}" for files in result.directories]
    out.write_listing("".join(f"{escape_line(line)}\n" for line in lines) or "nothing is kept\n")


def _purge(config: Settings, *, confirmed: bool, as_json: bool) -> Exit:
    """Remove all that ctxkit keeps, after a question, and list it."""
    from ctxkit.app.doctor import plan_purge, purge
    from ctxkit.edge.notices import ask, is_terminal

    if not confirmed and not is_terminal():
        raise UsageError("--purge needs --yes if stdin is not a terminal")
    plan = plan_purge(config)
    setups = [f"the setup of {removal.setup.host.title}" for removal in plan.hosts]
    places = [*setups, *map(_format_files, plan.directories)]
    if places and not confirmed and not ask(f"Remove {', '.join(places)}?"):
        return Exit.NO
    result = purge(plan, config)
    _write_removed(result, as_json=as_json)
    for path in result.left:
        say.warn(f"stays: {escape_line(path)}")
    return Exit.NO if result.left else Exit.DONE


def _format_files(files: "OwnFiles") -> str:
    return f"{pluralize(files.files, 'file')}, {format_size(files.size)}, from {files.directory}"


def _run_checks(config: Settings, errors: list[CtxkitError]) -> Iterator[Check]:
    yield from doctor.check_program()
    yield from doctor.check_ownership()
    yield from doctor.check_engines(config)
    yield from doctor.check_services(config)
    yield from doctor.check_directories(config)
    yield from doctor.check_settings(config, errors, os.environ)
    yield from doctor.check_values(config)
    yield from doctor.check_extras()
    yield from gguf_search.check_local_model(os.environ)


def _try_host(name: str, config: Settings) -> Iterator[Check]:
    """Yield the results of a trial of a host, and whether the host is set up for this user."""
    from ctxkit.app.services.stores import data_dir
    from ctxkit.core.hosts.profiles import load_host
    from ctxkit.core.hosts.trials import check_results
    from ctxkit.edge.host_setup import HostSetup, find_own_path, find_settings, find_version
    from ctxkit.edge.host_trial import find_program, try_host

    host, trial = load_host(name), TRIALS[name]
    program = find_program(host, trial)
    yield Check(host.title, "program", f"{program} {find_version(host.program)}".rstrip())
    path = find_settings(host, "user")
    if HostSetup(host, data_dir(config)).is_set_up(path):
        yield Check(host.title, "setup", f"{path} names ctxkit")
    else:
        yield Check(host.title, "setup", f"{path} does not name ctxkit", "absent", f"ctxkit init {name}")
    yield from check_results(try_host(host, trial, find_own_path()), trial, host.title)


def _format_checks(checks: Iterable[Check]) -> Iterator[str]:
    for topic, group in groupby(checks, key=lambda check: check.topic):
        rows = list(group)
        width = min(max(len(check.name) for check in rows), 28)
        yield topic
        for check in rows:
            name, value = escape_line(check.name), escape_line(" ".join(check.value.splitlines()))
            yield f"{SIGNS[check.state]} {name:{width}}  {value}"
            if check.hint and check.state != "ok":
                yield f"  {'':{width}}  hint: {escape_line(check.hint)}"


def _summarize(bad: int) -> str:
    return f"{pluralize(bad, 'problem')} found\n" if bad else "no problems found\n"
