"""Check the optional packages of ctxkit, which extras of its distribution name."""

from collections.abc import Iterator

from ctxkit.core.checkup import Check
from ctxkit.system.installation import install_command, is_installed, read_requirements

TOPIC = "extras"
PURPOSES = {
    "langs": "maps of more programming languages that are parsed",
    "hf": "counts by any tokenizer.json",
    "redis": "content and sessions on a server that many machines share",
    "redact": "more formats of keys that --redact masks",
    "serve": "answers over a Unix socket, with vocabularies in memory",
    "mcp": "servers of MCP at a URL behind mcp wrap",
    "llama": "summaries by a model on this machine, counts by any GGUF file",
}
"""The extras and their purposes."""


def checks() -> Iterator[Check]:
    """Yield for each extra whether all its packages are installed, and the command that installs the others."""
    requirements = read_requirements()
    for extra, purpose in PURPOSES.items():
        packages = [requirement.package for requirement in requirements if requirement.extra == extra]
        missing = [package for package in packages if not is_installed(package)]
        if missing:
            few = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
            yield Check(TOPIC, extra, f"{purpose}: lacks {few}", "absent", install_command(*missing))
        else:
            yield Check(TOPIC, extra, f"{purpose}: installed")
