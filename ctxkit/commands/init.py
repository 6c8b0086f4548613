"""ctxkit init."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import click

from ctxkit.app.services.stores import data_dir
from ctxkit.core.errors import CtxkitError, Exit, UsageError
from ctxkit.core.hosts import described_hosts
from ctxkit.core.hosts.described_hosts import GENERIC_SNIPPET, make_server_snippet
from ctxkit.core.hosts.profiles import MODULES, load_host
from ctxkit.core.hosts.wrap_script import make_hook_command
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.host_directory import make_diff
from ctxkit.edge.host_setup import HostSetup, SetupPlan, check_project_file, find_own_path, find_settings, find_version
from ctxkit.edge.option_types import option

HOSTS = (*MODULES, *described_hosts.HOSTS, "generic")


class SetupOptions(NamedTuple):
    """Where a host is set up, how the user agrees, and what changes beside its settings."""

    scope: str
    dry_run: bool
    yes: bool
    remove: bool
    serves: bool
    trust: bool


@click.command("init", cls=Verb)
@click.argument("host", metavar="[HOST]", type=click.Choice(HOSTS), required=False)
@option("--user", "scope", flag_value="user", default="user", help="Change the settings of the user (default).")
@option("--project", "scope", flag_value="project", help="Change the local settings of this project.")
@option("--dry-run", is_flag=True, help="Print the change, and do not make it.")
@option("--yes", is_flag=True, help="Make the change without asking.")
@option("--remove", is_flag=True, help="Remove the setup.")
@option("--mcp", "serves", is_flag=True, help="Let the host also start ctxkit as an MCP server.")
@option("--trust", is_flag=True, help="Let Codex trust the hooks of ctxkit.")
@option("--list", "lists", is_flag=True, help="List the hosts, and whether each is set up.")
@options.json_lines_option
@options.collect_values(SetupOptions, "setup_options")
def command(host: str | None, setup_options: SetupOptions, lists: bool, as_json: bool) -> Exit:
    """Set up an agent host to run its commands through ctxkit.

    HOST is claude-code, cline, codex, copilot, cursor, gemini, mini-swe-agent, opencode, pi or
    qwen. The setup of cursor is untested. init prints the change, asks, and then makes it.
    Permission rules, working directories and exit statuses of the host stay the same.

    For amp, continue, crush, droid, goose, kilo, kiro, roo, windsurf and zed, init prints the
    lines to add by hand, and what is not possible there; for generic, those of any other agent.

    With --remove, init removes exactly what it added, and what hooks kept of the sessions.

    \b
    $ ctxkit init --list
    $ ctxkit init claude-code --dry-run
    """
    _check_arguments(host, setup_options, lists=lists)
    if as_json and not lists:
        raise UsageError("--json is for --list")
    _check_trust(host, setup_options)
    if host is not None and (host == "generic" or host in described_hosts.HOSTS):
        return _print_text(host, setup_options)
    if sys.platform == "win32":
        raise UsageError("the scripts of ctxkit need a POSIX shell", hint="run ctxkit and the host in WSL")
    directory = data_dir(settings.load())
    if host is None:
        return _list_hosts(directory, as_json)
    return _set_up(HostSetup(load_host(host), directory), setup_options)


def _check_arguments(host: str | None, setup_options: SetupOptions, *, lists: bool) -> None:
    """Raise UsageError unless either a host is named or the hosts are listed."""
    hint = f"HOST is one of {', '.join(HOSTS)}"
    if not lists and not host:
        raise UsageError("missing argument: HOST", hint=hint)
    changes = setup_options.dry_run or setup_options.yes or setup_options.remove or setup_options.serves
    if lists and (host or changes):
        raise UsageError("--list cannot be combined with other arguments", hint=hint)


def _check_trust(host: str | None, setup_options: SetupOptions) -> None:
    is_setup = not (setup_options.remove or setup_options.dry_run)
    if setup_options.trust and not (host == "codex" and is_setup):
        raise UsageError("--trust is only for init codex")


def _print_text(host: str, setup_options: SetupOptions) -> Exit:
    """Print the lines that a user adds to an agent by hand; raise UsageError for options that change a file."""
    asks_change = setup_options.yes or setup_options.remove or setup_options.trust
    if asks_change or setup_options.scope == "project":
        raise UsageError(f"init {host} prints text and changes no file")
    out.write_text(_make_text(host, serves=setup_options.serves))
    return Exit.DONE


def _make_text(host: str, *, serves: bool) -> str:
    """Return the lines that a user adds to an agent by hand."""
    if host in described_hosts.HOSTS:
        return described_hosts.describe_setup(described_hosts.HOSTS[host], find_own_path(), serves=serves)
    return GENERIC_SNIPPET + (make_server_snippet(find_own_path()) if serves else "")


def _set_up(setup: HostSetup, setup_options: SetupOptions) -> Exit:
    """Change the settings of a host, and report whether it trusts them."""
    _check_scope(setup, setup_options.scope, serves=setup_options.serves)
    answer = _change_settings(setup, setup_options)
    is_set_up = answer is Exit.DONE and not (setup_options.dry_run or setup_options.remove)
    if is_set_up and setup.host.needs_trust:
        return _report_trust(setup, trust=setup_options.trust)
    return answer


def _check_scope(setup: HostSetup, scope: str, *, serves: bool) -> None:
    """Raise UsageError if the host has no settings, or no list of MCP servers, for a scope."""
    host = setup.host
    if scope not in host.settings:
        raise UsageError(f"{host.title} has no private settings for a project")
    if serves and host.mcp is None:
        raise UsageError(f"{host.title} does not start MCP servers")
    if serves and host.mcp is not None and scope not in host.mcp.places:
        raise UsageError(f"{host.title} has no private MCP servers for a project")
    if scope == "project":
        for path in setup.list_edits(scope, serves=True):
            check_project_file(path)


def _change_settings(setup: HostSetup, setup_options: SetupOptions) -> Exit:
    """Show the change of the settings, and make it after a question."""
    plans = list(_make_plans(setup, setup_options))
    _warn_of_rivals(setup, plans[0])
    changes = [plan for plan in plans if plan.changes_settings or plan.scripts]
    if not changes:
        _report_unchanged(setup, plans, setup_options)
        return Exit.DONE
    for plan in changes:
        _show_plan(plan)
    if setup_options.dry_run:
        return Exit.DONE
    if not (setup_options.yes or _ask_consent()):
        return Exit.NO
    if setup_options.remove:
        knows = [setup.apply_removal(plan) for plan in changes]
        _report_removal(setup, knows_all=all(knows))
        return Exit.DONE
    for plan in changes:
        setup.apply_setup(plan)
    _report_setup(setup)
    return Exit.DONE


def _make_plans(setup: HostSetup, setup_options: SetupOptions) -> Iterator[SetupPlan]:
    if setup_options.remove:
        return _make_removal_plans(setup, setup_options.scope)
    return _make_setup_plans(setup, setup_options.scope, serves=setup_options.serves)


def _report_unchanged(setup: HostSetup, plans: list[SetupPlan], setup_options: SetupOptions) -> None:
    """Say that the settings stay as they are; a removal also removes what was kept of sessions."""
    remove, paths = setup_options.remove, ", ".join(escape_line(plan.file.path) for plan in plans)
    if remove and not setup_options.dry_run and setup.remove_kept():
        say.inform(f"{setup.host.title}: what was kept of its sessions is removed")
    else:
        say.inform(f"{paths}: {'nothing to remove' if remove else 'already set up'}")


def _make_setup_plans(setup: HostSetup, scope: str, *, serves: bool) -> Iterator[SetupPlan]:
    for path, edit in setup.list_edits(scope, serves=serves).items():
        yield setup.plan_setup(path, edit)


def _make_removal_plans(setup: HostSetup, scope: str) -> Iterator[SetupPlan]:
    """Yield the plans of all files; one that ctxkit may never have changed need not be readable."""
    for number, (path, edit) in enumerate(setup.list_edits(scope, serves=True).items()):
        try:
            yield setup.plan_removal(path, edit)
        except CtxkitError:
            if not number or setup.has_changed(path):
                raise


def _warn_of_rivals(setup: HostSetup, plan: SetupPlan) -> None:
    for rival in setup.host.find_rivals(plan.file.text):
        path = escape_line(plan.file.path)
        say.warn(f"{path} calls {rival} too: both would shorten the same output")


def _show_plan(plan: SetupPlan) -> None:
    """Print the change of the settings as a diff, and the new scripts."""
    out.write_listing(make_diff(plan.file, plan.text))
    for path, script in plan.scripts.items():
        body = "".join(f"+{line}\n" for line in script.splitlines())
        out.write_listing(f"--- /dev/null\n+++ {path}\n{body}")


def _ask_consent() -> bool:
    """Ask on a terminal; without one the answer is no."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None:
        say.error("nothing is changed, because stdin is not a terminal", "--yes makes the change without asking")
        return False
    print("Make this change? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _report_removal(setup: HostSetup, *, knows_all: bool) -> None:
    if not setup.host.instructions:
        say.inform(f"{setup.host.title} runs its commands without ctxkit from its next start on")
    if not knows_all:
        say.warn(
            f"{escape_line(setup.directory)} stays, because the record of the settings that name its scripts is lost: "
            "delete it once no settings name them"
        )


def _report_setup(setup: HostSetup) -> None:
    host, directory = setup.host, escape_line(setup.directory)
    if host.instructions:
        out.write_text(GENERIC_SNIPPET)
        say.inform(f"{host.title} starts ctxkit as an MCP server, and runs its commands without ctxkit")
        say.inform(f"to have their output gated, add the lines above to {host.instructions}")
        return
    if host.start:
        folder = quote_path(os.path.dirname(find_settings(host, "user")))
        say.inform(f"start {host.title} as: {escape_line(host.start.format(directory=folder))}")
    else:
        say.inform(f"{host.title} runs its commands through ctxkit from its next start on")
    say.inform("an agent may end a command with what it is after, as in: make test # focus: lost socket")
    if host.is_untested:
        say.warn(f"the setup of {host.title} is untested: it follows the published description of its hooks")
    say.inform(f"without ctxkit or {directory}: {host.without_scripts}")


def _report_trust(setup: HostSetup, *, trust: bool) -> Exit:
    """Let the host trust the hooks if the user says so, and report whether it runs them."""
    title = setup.host.title
    if not trust:
        say.inform(f"{title} runs the hooks of ctxkit once you trust them: run /hooks in {title}, or use --trust")
        return Exit.DONE
    from ctxkit.edge.host_setup import trust_hooks

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
    width = max(map(len, MODULES))
    lines = [
        f"{row['host']:{width}} {row['version'] or 'unknown':10} {row['scope']:8} "
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
        state = {"active": setup.is_set_up(path), "mcp": setup.is_serving(scope)}
        rows.append({**row, **state, "without_ctxkit": host.without_scripts})
    return rows
