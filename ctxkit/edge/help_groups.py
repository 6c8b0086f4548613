"""Sort options into the groups of ``--help`` and of the man pages; only help loads this table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

MOST = 12
"""Maximum number of options in a group."""
OPTION_GROUPS: Mapping[str, str] = {
    "Part": "--lines --bytes --grep --context-lines --json-path --number --gate --last --since",
    "Window": "--model --window --reserve --used --tokenizer --session --limit --target --admit --again --host"
    " --no-count",
    "Input": "--each --field --id --format --input --files-from --stdin-name --skip-bad --messages --response --prompt"
    " --leaf --call",
    "Map": "--name --type --focus --hint --tool --status --exit-status",
    "Command": "--timeout --kill-after --command -c --login",
    "Truncation": "--tail --head --middle --max-lines --max-bytes --max-tokens",
    "Compaction": "--trigger --low-water --force --keep-recent --keep-last --keep-observations --stages --pin"
    " --expand --prune --covers --compacted",
    "Summary": "--summarizer --summary --summary-role --page-tokens --context-md",
    "Prompt cache": "--cache-aware --turns --cache-write --cache-read --previous",
    "Sections of the prompt": "--base --system --rules --memories --context --skills --scratchpad --status-file"
    " --sections --turn-sections",
    "Tools": "--tools --builtin-tools --skill-tools --mcp-tools --threshold --text-only --inject",
    "Rules": "--select --extend-select --ignore --ignore-kind --ignore-suppressions --baseline --update-baseline"
    " --fail-level --exit-zero",
    "Fixes": "--fix --unsafe-fixes --diff",
    "Setup": "--user --project --remove --trust --list --mcp",
    "Server": "--url --header --header-env --listen --socket --idle --token-file --preload --upstream --port",
    "Changes": "--all --purge --yes --dry-run --write --in-place --restore --from --max-age --max-size"
    " --min-sessions",
    "Storage": "--store --no-store --redact --events --events-full --root",
    "Output": "--json --check --strict --report --explain --output-format --color --by --long --csv --plot --note"
    " --note-file --max-results --manifest --show-prompt --print-unit --to --screen",
    "General": "--jobs --quiet --verbose --version --help",
}
"""Options by the title of their group, in the order in which help shows the groups."""
EXCEPTIONS: Mapping[str, str] = {
    "brief --jobs": "Input",
    "budget --skills": "Input",
    "budget --system": "Input",
    "budget --tools": "Input",
    "cache search --session": "Input",
    "cache search --tool": "Input",
    "compact --restore": "Input",
    "count --calibrate": "Input",
    "count --jobs": "Input",
    "count --max": "Output",
    "dedupe --budget": "Output",
    "dedupe --statistics": "Output",
    "dedupe --table": "Output",
    "edit list --suggest": "Output",
    "events --command": "Input",
    "events --cost": "Output",
    "events --follow": "Input",
    "events --from-transcripts": "Input",
    "events --quality": "Output",
    "events --since": "Input",
    "events --suggest": "Output",
    "serve --jobs": "Server",
    "shell --print": "Output",
    "snapshot list --all": "Output",
}
"""Groups of options that mean something else in a command, or that only one command has."""
UNGROUPED = "Options"
_GROUP_OF = {name: title for title, names in OPTION_GROUPS.items() for name in names.split()}


def find_group(command: str, option: click.Parameter) -> str:
    """Return the title of the group of an option of a command, which is named without ``ctxkit``."""
    for name in option.opts:
        title = EXCEPTIONS.get(f"{command} {name}") or _GROUP_OF.get(name)
        if title:
            return title
    return UNGROUPED


def group_options(command_path: str, params: Iterable[click.Parameter]) -> list[tuple[str, list[click.Option]]]:
    """Return the titles of the groups of a command, each with its visible options in their order."""
    command = command_path.partition(" ")[2]
    groups: dict[str, list[click.Option]] = {title: [] for title in (UNGROUPED, *OPTION_GROUPS)}
    for param in params:
        if isinstance(param, click.Option) and not param.hidden:
            groups[find_group(command, param)].append(param)
    return [(title, options) for title, options in groups.items() if options]
