"""The programs that commands run, and those that a shell says are not there."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.text.shell_script import split_commands

_NAME = r"([\w.+/\\:@-]{1,120})"
_MISSING = re.compile(
    rf"\bcommand not found: {_NAME}|(?<![\w.+/\\:@-]){_NAME}: (?:command )?not found\b(?!: \S)"
    r"|^(?:error: )?([a-z][\w.+-]{1,40}) not found$"
    rf"|'{_NAME}' is not recognized as|ObjectNotFound: \({_NAME}:String\) \[\], CommandNotFoundException"
    r"|[\\/]([\w.-]{1,40})\.ps1 cannot be loaded"
)
"""What shells say of a program that is not there, or of the script of one that must not run."""
_SUFFIX = re.compile(r"(?:\.(?:exe|cmd|bat|ps1))$|(?<=[a-z])-?\d+(?:\.\d+)*$", re.IGNORECASE)
"""The end of the name of a program on Windows, and the version in a name."""
_SAME = {"py": "python", "gradlew": "gradle", "mvnw": "mvn"}
"""Programs that run another one."""
_LAUNCHER_NAMES = """
bun bunx cmd conda corepack docker docker-compose mise node npm npx pipx pnpm podman poetry powershell pwsh python uv
uvx wsl yarn
"""
_LAUNCHERS = frozenset(_LAUNCHER_NAMES.split())
"""Programs that run others: package managers, shells of Windows, containers and interpreters with modules."""
_ECHO = re.compile(
    r"^[ \t]*(?:[>$]|\S{1,80} [\w:-]{1,40}\$) (?:[A-Z_]{1,40}=\S{0,200} ){0,9}([a-z][\w.-]{0,40})(?=\s|\Z)",
    re.MULTILINE,
)
"""The line with which a package manager prints the command of a script before it runs it."""
_PROBE = re.compile(r"(?:which|where|where\.exe|type|get-command|gcm|hash)$", re.IGNORECASE)
_PROBE_OPTIONS = ("--version", "-v", "-V", "-version", "version")
_FRAMES = ("echo", "head", "tail", "cd", "true")
"""Programs that stand beside a probe."""
MAX_OUTPUT, MAX_WORDS = 20_000, 12
"""Maximum characters of an output, and words of a command, that are searched for programs."""


def find_missing_program(lines: Sequence[str]) -> str:
    """Return the name of a program that an error line says is not there, empty if there is none.

    >>> find_missing_program(["-bash: rsync: command not found"])
    'rsync'
    """
    matches = filter(None, map(_MISSING.search, lines))
    return next((next(filter(None, match.groups())) for match in matches), "")


def normalize_program(name: str) -> str:
    """Return the name of a program without its folder, the suffix of Windows and its version.

    >>> normalize_program("/usr/bin/python3.12"), normalize_program("npm.cmd"), normalize_program("./gradlew")
    ('python', 'npm', 'gradle')
    """
    name = _SUFFIX.sub("", name.replace("\\", "/").rsplit("/", 1)[-1]).lower()
    return _SAME.get(name, name)


def list_programs(words: Sequence[str]) -> Iterator[str]:
    """Yield the normalized names of what a command runs: its program, and what that may run itself.

    >>> list(list_programs(["npx", "vitest", "run"])), list(list_programs(["cp", "vitest"]))
    (['npx', 'vitest', 'run'], ['cp'])
    """
    program = normalize_program(words[0])
    yield program
    if program in _LAUNCHERS:
        yield from (normalize_program(word) for word in words[1:MAX_WORDS] if word[:1] not in ("-", ""))
    if words[:2] == ["docker", "compose"]:
        yield "docker-compose"  # as it was before


def list_echoed_programs(output: str) -> Iterator[str]:
    """Yield the normalized names of the programs that a package manager says it runs.

    >>> list(list_echoed_programs("> app@1.0.0 test\\n> vitest --run\\n"))
    ['vitest']
    """
    yield from map(normalize_program, _ECHO.findall(output[:MAX_OUTPUT]))


def is_probe(command: str) -> bool:
    """Return whether a command only asks whether programs are there, so that their absence is an answer.

    >>> is_probe("which mvn && mvn -version 2>&1 | head -3"), is_probe("mvn test")
    (True, False)
    """
    commands = [words for words, _ in split_commands(command.replace("command -v ", "which ")) if words]
    return bool(commands) and all(map(_is_probe, commands))


def _is_probe(words: Sequence[str]) -> bool:
    has_version = len(words) == 2 and words[1] in _PROBE_OPTIONS
    return has_version or bool(_PROBE.match(words[0])) or words[0] in _FRAMES
