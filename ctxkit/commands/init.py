"""ctxkit init."""

import sys

import click

from ctxkit.core.errors import UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.hosts.claude_code import find_rivals
from ctxkit.core.hosts.snippet import GENERIC_SNIPPET
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.host_files import make_diff
from ctxkit.edge.host_setup import ClaudeCodeSetup, SetupPlan, check_project_file, find_settings
from ctxkit.stores import data_dir

HOSTS = ("claude-code", "generic")


@click.command("init")
@click.argument("host", metavar="[HOST]", type=click.Choice(HOSTS), required=False)
@click.option("--user", "scope", flag_value="user", default="user", help="Change the settings of the user (default).")
@click.option("--project", "scope", flag_value="project", help="Change the local settings of this project.")
@click.option("--dry-run", is_flag=True, help="Print the change, and do not make it.")
@click.option("--yes", is_flag=True, help="Make the change without asking.")
@click.option("--remove", is_flag=True, help="Take ctxkit away again.")
@click.option("--list", "lists", is_flag=True, help="List the hosts, and whether ctxkit is in front of each.")
@options.json_option
@options.add_verbosity_options
def command(
    host: str | None, scope: str, dry_run: bool, yes: bool, remove: bool, lists: bool, as_json: bool
) -> Exit:
    """Put ctxkit in front of the shell of an agent host.

    HOST is claude-code, or generic, which prints text for any other agent. The change is
    printed first, and made after a question. Permission rules, working directories and exit
    statuses of the host stay as they are. --remove takes out what was added, and nothing
    else.

    \b
    $ ctxkit init --list
    $ ctxkit init claude-code --dry-run
    """
    if lists == bool(host) or (lists and (dry_run or yes or remove)):
        raise UsageError("--list stands alone" if lists else "which host?", hint=f"HOST is {' or '.join(HOSTS)}")
    if as_json and not lists:
        raise UsageError("--json is for --list")
    if host == "generic":
        out.write_text(GENERIC_SNIPPET)
        return Exit.DONE
    if sys.platform == "win32":
        raise UsageError("Claude Code has no shell prefix on Windows", hint="run both in WSL")
    setup = ClaudeCodeSetup(data_dir(settings.load()))
    if lists:
        return _list_hosts(setup, as_json)
    path = find_settings(scope)
    if scope == "project":
        check_project_file(path)
    plan = setup.plan_removal(path) if remove else setup.plan_setup(path)
    for rival in find_rivals(plan.file.text):
        say.warn(f"{path} calls {rival} too: output that two programs shorten in a row loses twice")
    if not plan.changes_settings and not plan.scripts:
        say.inform(f"{escape_line(path)}: {'nothing to remove' if remove else 'ctxkit is already in front'}")
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


def _report_removal(setup: ClaudeCodeSetup, *, knows_all: bool) -> None:
    say.inform("Claude Code runs its commands without ctxkit from its next start on")
    if not knows_all:
        say.warn(
            f"{escape_line(setup.directory)} stays, because the record of the settings that name its scripts is lost: "
            "delete it once no settings name them"
        )


def _report_setup(setup: ClaudeCodeSetup) -> None:
    say.inform("Claude Code runs its commands through ctxkit from its next start on")
    say.inform(
        f"before you delete {escape_line(setup.directory)}, run ctxkit init claude-code --remove: "
        "Claude Code cannot run commands without the script in it"
    )


def _list_hosts(setup: ClaudeCodeSetup, as_json: bool) -> Exit:
    """Print whether ctxkit is in front of each host, for the user and for this project."""
    rows = [
        {"host": "claude-code", "scope": scope, "settings": path, "in_front": setup.is_set_up(path)}
        for scope in ("user", "project")
        for path in [find_settings(scope)]
    ]
    if as_json:
        for row in rows:
            out.write_json(row)
        return Exit.DONE
    lines = [
        f"{row['host']:12} {row['scope']:8} {'in front' if row['in_front'] else 'not set up':10}  {row['settings']}\n"
        for row in rows
    ]
    out.write_listing("".join(lines))
    return Exit.DONE
