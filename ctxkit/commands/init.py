"""ctxkit init."""

import os
import shutil
import sys
from typing import Any

import click

from ctxkit.core.errors import UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.hosts.hook_script import make_hook_command
from ctxkit.core.hosts.host_table import MODULES, load_host
from ctxkit.core.hosts.snippet import GENERIC_SNIPPET
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.host_files import make_diff
from ctxkit.edge.host_setup import HostSetup, SetupPlan, check_project_file, find_settings
from ctxkit.edge.host_versions import find_version
from ctxkit.stores import data_dir

HOSTS = (*MODULES, "generic")


@click.command("init")
@click.argument("host", metavar="[HOST]", type=click.Choice(HOSTS), required=False)
@click.option("--user", "scope", flag_value="user", default="user", help="Change the settings of the user (default).")
@click.option("--project", "scope", flag_value="project", help="Change the local settings of this project.")
@click.option("--dry-run", is_flag=True, help="Print the change, and do not make it.")
@click.option("--yes", is_flag=True, help="Make the change without asking.")
@click.option("--remove", is_flag=True, help="Remove the setup.")
@click.option("--trust", is_flag=True, help="Let Codex trust the hooks of ctxkit.")
@click.option("--list", "lists", is_flag=True, help="List the hosts, and whether each is set up.")
@options.json_option
@options.add_verbosity_options
def command(
    host: str | None, scope: str, dry_run: bool, yes: bool, remove: bool, trust: bool, lists: bool, as_json: bool
) -> Exit:
    """Set up an agent host to run its commands through ctxkit.

    HOST is claude-code, codex, copilot, gemini, opencode or pi, or generic, which prints text
    for any other agent. init prints the change, asks, and then makes it. Permission rules,
    working directories and exit statuses of the host stay the same.

    With --remove, init takes out exactly what it added.

    \b
    $ ctxkit init --list
    $ ctxkit init claude-code --dry-run
    """
    if lists == bool(host) or (lists and (dry_run or yes or remove)):
        raise UsageError("--list stands alone" if lists else "which host?", hint=f"HOST is {' or '.join(HOSTS)}")
    if as_json and not lists:
        raise UsageError("--json is for --list")
    if trust and (host != "codex" or remove or dry_run):
        raise UsageError("--trust is for a setup of codex")
    if host == "generic":
        out.write_text(GENERIC_SNIPPET)
        return Exit.DONE
    if sys.platform == "win32":
        raise UsageError("the scripts of ctxkit need a POSIX shell", hint="run ctxkit and the host in WSL")
    directory = data_dir(settings.load())
    if host is None:
        return _list_hosts(directory, as_json)
    setup = HostSetup(load_host(host), directory)
    if scope not in setup.host.settings:
        raise UsageError(f"{setup.host.title} has no settings of a project that are not shared")
    path = find_settings(setup.host, scope)
    if scope == "project":
        check_project_file(path)
    answer = _change_settings(setup, path, dry_run=dry_run, yes=yes, remove=remove)
    if answer is Exit.DONE and not (dry_run or remove) and setup.host.needs_trust:
        return _report_trust(setup, trust=trust)
    return answer


def _change_settings(setup: HostSetup, path: str, *, dry_run: bool, yes: bool, remove: bool) -> Exit:
    """Show the change of the settings, and make it after a question."""
    plan = setup.plan_removal(path) if remove else setup.plan_setup(path)
    for rival in setup.host.find_rivals(plan.file.text):
        say.warn(f"{path} calls {rival} too: output that two programs shorten in a row loses twice")
    if not plan.changes_settings and not plan.scripts:
        say.inform(f"{escape_line(path)}: {'nothing to remove' if remove else 'already set up'}")
        return Exit.DONE
    _show_plan(plan)
    if dry_run or not (yes or _ask_consent()):
        return Exit.DONE if dry_run else Exit.NO
    if remove:
        _report_removal(setup, knows_all=setup.apply_removal(plan))
    else:
        setup.apply_setup(plan)
        _report_setup(setup)
    return Exit.DONE


def _show_plan(plan: SetupPlan) -> None:
    """Print the change of the settings as a diff, and the new scripts."""
    out.write_listing(make_diff(plan.file, plan.text))
    for path, script in plan.scripts.items():
        body = "".join(f"+{line}\n" for line in script.splitlines())
        out.write_listing(f"--- /dev/null\n+++ {path}\n{body}")


def _ask_consent() -> bool:
    """Ask on a terminal; without one the answer is no."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None:
        say.error("nothing is changed: there is no terminal to ask on", "--yes makes the change without asking")
        return False
    print("Make this change? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _report_removal(setup: HostSetup, *, knows_all: bool) -> None:
    say.inform(f"{setup.host.title} runs its commands without ctxkit from its next start on")
    if not knows_all:
        say.warn(
            f"{escape_line(setup.directory)} stays, because the record of the settings that name its scripts is lost: "
            "delete it once no settings name them"
        )


def _report_setup(setup: HostSetup) -> None:
    host, directory = setup.host, escape_line(setup.directory)
    say.inform(f"{host.title} runs its commands through ctxkit from its next start on")
    if host.needs_scripts:
        say.inform(f"before you delete {directory}, run ctxkit init {host.name} --remove: {host.without_scripts}")
    else:
        say.inform(f"without ctxkit or {directory}: {host.without_scripts}")


def _report_trust(setup: HostSetup, *, trust: bool) -> Exit:
    """Let the host trust the hooks if the user says so, and report whether it runs them."""
    title = setup.host.title
    if not trust:
        say.inform(f"{title} runs the hooks of ctxkit once you trust them: run /hooks in {title}, or use --trust")
        return Exit.DONE
    from ctxkit.edge.codex_trust import trust_hooks

    program = shutil.which(setup.host.program) or setup.host.program
    if trust_hooks(program, make_hook_command(setup.directory), os.getcwd()):
        say.inform(f"{title} trusts the hooks of ctxkit")
        return Exit.DONE
    say.error(f"{title} does not trust the hooks of ctxkit", f"run /hooks in {title}")
    return Exit.NO


def _list_hosts(directory: str, as_json: bool) -> Exit:
    """Print whether each host is set up, for the user and for this project."""
    rows = [row for name in MODULES for row in _list_settings(HostSetup(load_host(name), directory))]
    if as_json:
        for row in rows:
            out.write_json(row)
        return Exit.DONE
    lines = [
        f"{row['host']:12} {row['version'] or 'unknown':10} {row['scope']:8} "
        f"{'active' if row['active'] else 'not set up':10}  {row['settings']}\n"
        for row in rows
    ]
    out.write_listing("".join(lines))
    for setup in (HostSetup(load_host(name), directory) for name in MODULES):
        if any(row["active"] for row in rows if row["host"] == setup.host.name):
            say.inform(f"without ctxkit or {escape_line(setup.directory)}: {setup.host.without_scripts}")
    return Exit.DONE


def _list_settings(setup: HostSetup) -> list[dict[str, Any]]:
    """Return the state of a host for each of its settings files."""
    host, rows = setup.host, []
    for scope in host.settings:
        path = find_settings(host, scope)
        row = {"host": host.name, "version": find_version(host.program), "scope": scope, "settings": path}
        rows.append({**row, "active": setup.is_set_up(path), "without_ctxkit": host.without_scripts})
    return rows
