"""Check the program, the settings and the engines, for doctor, and remove what ctxkit keeps on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

from ctxkit import __version__
from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.hosts.mcp_server import SettingsEdit
from ctxkit.core.hosts.profiles import MODULES, load_host
from ctxkit.core.models import lookup
from ctxkit.core.redaction.masking import mask_secrets
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import format_size
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import user_dirs
from ctxkit.edge.call_process import OTHER_VARIABLES
from ctxkit.edge.host_setup import HostSetup, SetupPlan, check_project_file, find_own_path
from ctxkit.edge.option_values import LARGEST, parse_option_reserve, read_hint, vocabulary_of
from ctxkit.edge.request import CliRequest
from ctxkit.edge.setting_definitions import format_value
from ctxkit.edge.settings import KEYS, OF_MODEL, Settings
from ctxkit.engines.own_state import PRIVATE, SETTINGS, OwnFiles, OwnPlace, list_own_files, remove_own_files
from ctxkit.system import file_locks
from ctxkit.system.installation import DISTRIBUTION, install_command, is_installed, read_requirements, uninstall_command

if TYPE_CHECKING:
    from collections.abc import Sequence


class HostRemoval(NamedTuple):
    """The removal of a host: its setup, and the change of each settings file."""

    setup: HostSetup
    plans: tuple[SetupPlan, ...]

    def apply(self) -> bool:
        """Change the settings, and remove the scripts; return False if the scripts stay, as ``apply_removal`` does."""
        answers = [self.setup.apply_removal(plan) for plan in self.plans]
        return all(answers)


def check_engines(settings: Settings) -> Iterator[Check]:
    """Yield the checks of the libraries, the vocabularies and the store."""
    from ctxkit.app import checkup

    yield from checkup.check_libraries()
    yield from checkup.check_vocabularies(user_dirs.cache_dir())
    folders = settings["cache_dir"] or user_dirs.cache_dir(), settings["data_dir"] or user_dirs.data_dir()
    with suppress(ImportError):  # a Python without SQLite, which the library checks have reported
        yield from checkup.check_storage(*folders)


def check_services(settings: Settings) -> Iterator[Check]:
    """Yield the checks of the shared store, and of the socket of a server; each waits at most a second."""
    if isinstance(settings["store"], str):
        from ctxkit.app.checkup import check_server

        yield check_server(settings["store"])
    server = settings["server"]
    if server:
        from ctxkit.app.checkup import check_socket

        is_named = isinstance(server, str)
        check = check_socket(server if is_named else user_dirs.socket_path(), is_named=is_named)
        yield from filter(None, (check,))


class PurgePlan(NamedTuple):
    """What a purge removes: the setups of hosts, and the files in each directory."""

    hosts: Sequence[HostRemoval]
    directories: Sequence[OwnFiles]


class PurgeResult(NamedTuple):
    """What a purge removed: the settings files by host, and the files; ``left`` are the paths that stay."""

    hosts: Sequence[tuple[str, str]]
    directories: Sequence[OwnFiles]
    left: Sequence[str]


def plan_purge(settings: Settings) -> PurgePlan:
    """Return what a purge removes; raise CtxkitError if the settings of a host cannot be read."""
    hosts = [removal for path in _list_data_dirs(settings) for removal in plan_removals(path)]
    return PurgePlan(hosts, [files for files in map(list_own_files, _list_places(settings)) if files.files])


def purge(plan: PurgePlan, settings: Settings) -> PurgeResult:
    """Remove the setups of the hosts first, whose scripts are below the data directory, then all files."""
    left = [removal.setup.directory for removal in plan.hosts if not removal.apply()]
    removed = list(map(remove_own_files, _list_places(settings)))
    hosts = [(removal.setup.host.name, plan.file.path) for removal in plan.hosts for plan in removal.plans]
    links = [link for files in removed for link in files.links]
    return PurgeResult(hosts, [files for files in removed if files.files], [*left, *links])


def _list_places(settings: Settings) -> Iterator[OwnPlace]:
    """Yield the directories of ctxkit."""
    paths = [*_list_data_dirs(settings), str(settings["cache_dir"]), user_dirs.cache_dir()]
    yield from (OwnPlace(path) for path in dict.fromkeys(paths) if os.path.isabs(path))
    yield from (OwnPlace(path, PRIVATE, is_private=True) for path in user_dirs.fallback_dirs())
    yield OwnPlace(os.path.dirname(user_dirs.models_file()), SETTINGS)


def _list_data_dirs(settings: Settings) -> list[str]:
    paths = dict.fromkeys((str(settings["data_dir"]), user_dirs.data_dir()))
    return [path for path in paths if os.path.isabs(path)]


def plan_removals(data_dir: str) -> list[HostRemoval]:
    """Return the removal of each host that is set up; raise MalformedInputError for settings that cannot be parsed."""
    setups = [HostSetup(load_host(name), data_dir) for name in MODULES]
    removals = (HostRemoval(setup, tuple(_plan_host(setup))) for setup in setups)
    return [removal for removal in removals if removal.plans]


def _plan_host(setup: HostSetup) -> Iterator[SetupPlan]:
    """Yield the changes of the settings of the user and of this project, and of those that the record names."""
    edits, recorded = _list_edits(setup), setup.list_changed()
    for path in {**edits, **dict.fromkeys(recorded)}:
        try:
            plan = setup.plan_removal(path, edits.get(path) or _find_edit(path, edits))
        except CtxkitError:
            if path in recorded:
                raise
            continue
        if path in recorded or plan.changes_settings:
            yield plan


def _list_edits(setup: HostSetup) -> dict[str, SettingsEdit]:
    edits: dict[str, SettingsEdit] = {}
    for scope in setup.host.settings:
        for path, edit in setup.list_edits(scope, serves=True).items():
            try:
                if scope == "project":
                    check_project_file(path)
            except UsageError:  # a link out of the project
                continue
            edits[path] = edit
    return edits


def _find_edit(path: str, edits: dict[str, SettingsEdit]) -> SettingsEdit | None:
    """Return the edit of the settings of another project, which have the same name there."""
    return next((edit for edit in edits.values() if path.endswith(os.path.join(os.sep, edit.place.path))), None)


_TOPIC = "settings"


def check_settings(settings: Settings, errors: list[CtxkitError], environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield the errors in the settings, the budget, and each setting."""
    for error in errors:
        where, _, what = str(error).partition(": ")
        message = mask_secrets(f"{where}: {what}")
        yield Check(_TOPIC, "wrong", message, "bad", error.hint or "correct it or remove it")
    yield from _check_variables(environ)
    yield from _check_ignored(settings)
    yield from _check_budget(settings)
    for key in KEYS:
        value, source = settings.lookup(key)
        yield Check(_TOPIC, key, f"{_format_value(value)}  ({source})")
    for name in settings.models():
        for key in OF_MODEL:
            setting = settings.lookup_for_model(name, key)
            if setting:
                yield Check(_TOPIC, f"models.{name}.{key}", f"{_format_value(setting.value)}  ({setting.source})")


def _check_ignored(settings: Settings) -> Iterator[Check]:
    """Yield the ignored settings of a project's file, and the files that were not read."""
    for path in settings.project.foreign:
        hint = "settings are read only from files of yours or root's"
        yield Check(_TOPIC, "not read", f"{escape_line(path)}: belongs to another user", "absent", hint)
    for setting in settings.project.ignored:
        why = f"a project may give only {setting.words}" if setting.words else "a project may not set it"
        hint = f"ctxkit trust {quote_path(settings.project.directory) or '.'} lets it hold"
        if setting.is_for_user_file():
            hint = "only the user's own file may say it"
        message = f"{escape_line(setting.source)}: {escape_line(setting.key)} = {format_value(setting.value)}: {why}"
        yield Check(_TOPIC, "ignored", message, "absent", hint)


def _check_variables(environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield variables that look like settings but are not, which nothing else reports."""
    from difflib import get_close_matches

    known = [*(f"CTXKIT_{key.upper()}" for key, key_of in KEYS.items() if not key_of.user_file_only), *OTHER_VARIABLES]
    for name in sorted(environ):
        if name.startswith("CTXKIT_") and name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "ctxkit reads no such variable"
            yield Check(_TOPIC, name, "unknown variable", "bad", hint)


def _check_budget(settings: Settings) -> Iterator[Check]:
    """Yield the budget of a command without options, or why there is none."""
    request = CliRequest()
    name = request.model_name(settings)
    if not name and not settings.window().value:
        hint = "set CTXKIT_MODEL or CTXKIT_WINDOW, or give --model or --window each time"
        yield Check(_TOPIC, "in use", "no model and no window", "absent", hint)
        return
    limits: list[str] = []
    settings.report_limit = limits.append
    try:
        budget, vocabulary = request.budget(settings), request.vocabulary(settings)
    except CtxkitError as error:
        yield Check(_TOPIC, "in use", mask_secrets(str(error)), "bad", error.hint)
        return
    for limit in dict.fromkeys(limits):
        hint = f"ctxkit trust {quote_path(settings.project.directory) or '.'} lifts the limit"
        yield Check(_TOPIC, "limited", escape_line(limit), "absent", hint)
    known = lookup.find_model(name) if name else None
    resolved_name = f" ({known.name})" if known and known.name != name else ""
    kind = "exact" if vocabulary.exact else "estimate"
    yield Check(
        _TOPIC,
        "in use",
        f"{f'model {name}{resolved_name}, ' if name else ''}window {budget.window:,}, reserve {budget.reserve:,}, "
        f"tokenizer {vocabulary.name} ({kind})",
    )


def _format_value(value: object) -> str:
    """Return a value as it is written in a file, with passwords and keys masked."""
    if not value and value is not False:
        return "-"
    return mask_secrets(format_value(list(value) if isinstance(value, tuple) else value, longest=1000))


_SUMMARIZERS = ("extract", "llama", "http", "https", "cmd")
"""What the name of a summarizer begins with, up to a colon."""


def check_values(settings: Settings) -> Iterator[Check]:
    """Yield the settings whose value no command can use, and the file of events if it cannot be written."""
    for key, check in _CHECKERS.items():
        value, source = settings.lookup(key)
        if not value or not isinstance(value, str):
            continue
        try:
            check(value)
        except CtxkitError as error:
            what = str(error).removeprefix(f"--{key}: ")
            message = f"{escape_line(source)}: {key}: {escape_line(mask_secrets(what))}"
            yield Check(_TOPIC, "wrong", message, "bad", error.hint or "correct it or remove it")


def _check_reserve(value: str) -> None:
    parse_option_reserve(value, LARGEST)


def _check_summarizer(value: str) -> None:
    kind, _, rest = value.partition(":")
    if kind not in _SUMMARIZERS or (kind not in ("extract", "llama") and not rest.strip("/ ")):
        raise UsageError(f"unknown summarizer: {value}", hint="extract, llama[:FILE], http(s)://... or cmd:PROGRAM")


def _check_events(path: str) -> None:
    """Raise UsageError if no line can be appended to a file; create nothing."""
    folder = os.path.dirname(path) or os.curdir
    if os.path.isdir(path):
        raise UsageError(f"{path} is a directory", hint="name a file")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise UsageError(f"{path} cannot be written", hint="make it writable, or name another file")
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a directory", hint=f"mkdir -p {folder}")
    if not os.path.exists(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{folder} cannot be written", hint="name a file in a directory of yours")


_CHECKERS: Mapping[str, Callable[[str], object]] = {
    "tokenizer": vocabulary_of,
    "reserve": _check_reserve,
    "hint": read_hint,
    "session": check_session_name,
    "summarizer": _check_summarizer,
    "events": _check_events,
}
"""The functions that raise CtxkitError for a value that cannot be used, by the key of the setting."""
_DIRECTORIES = "directories"
SCARCE = 100 << 20
"""Bytes of free space below which storing content may soon fail."""


def check_directories(settings: Settings) -> Iterator[Check]:
    """Yield whether each directory is usable, its permissions, and its free space."""
    for name, path in (
        ("cache", settings["cache_dir"] or user_dirs.cache_dir()),
        ("data", settings["data_dir"] or user_dirs.data_dir()),
    ):
        yield _check_writable(name, path, f"set CTXKIT_{name.upper()}_DIR to a directory of yours")
    yield _check_readable(os.path.dirname(user_dirs.settings_file()))


def _check_writable(name: str, path: str, remedy: str) -> Check:
    existing = _find_existing_parent(path)
    if hint := user_dirs.find_home_hint(path):
        return Check(_DIRECTORIES, name, "there is no home directory", "bad", hint.partition(": ")[2])
    if not os.path.isdir(existing):
        return Check(_DIRECTORIES, name, f"{path}: {existing} is not a directory", "bad", remedy)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Check(_DIRECTORIES, name, f"{path}: cannot be written", "bad", remedy)
    free = _count_free_bytes(existing)
    space = f"{format_size(free)} free"
    if free < SCARCE:
        return Check(_DIRECTORIES, name, f"{path}: only {space}", "bad", f"free some space, or {remedy}")
    if existing != path:
        return Check(_DIRECTORIES, name, f"{path}: created when it is needed, {space}")
    if file_locks.lacks_locks(path):
        return Check(_DIRECTORIES, name, f"{path}: {file_locks.MISSING}", "bad", remedy)
    mode = os.stat(path).st_mode & 0o777
    if mode & 0o022:
        message = f"{path}: others can write to it (mode {mode:04o}), {space}"
        return Check(_DIRECTORIES, name, message, "bad", f"chmod 700 {quote_path(path)}")
    return Check(_DIRECTORIES, name, f"{path}: mode {mode:04o}, {space}")


def _check_readable(path: str) -> Check:
    if not os.path.isdir(path):
        return Check(_DIRECTORIES, "config", f"{path}: does not exist, and nothing needs it")
    if not os.access(path, os.R_OK | os.X_OK):
        return Check(_DIRECTORIES, "config", f"{path}: cannot be read", "bad", f"chmod 700 {quote_path(path)}")
    return Check(_DIRECTORIES, "config", path)


def _find_existing_parent(path: str) -> str:
    """Return a path, or its nearest parent that exists."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path or os.curdir


def _count_free_bytes(path: str) -> int:
    """Return the bytes that are free for this user."""
    return shutil.disk_usage(path).free


PAGES = (
    ("man page", "share/man/man1/ctxkit.1"),
    ("bash completion", "share/bash-completion/completions/ctxkit"),
    ("zsh completion", "share/zsh/site-functions/_ctxkit"),
    ("fish completion", "share/fish/vendor_completions.d/ctxkit.fish"),
)
"""Files that the wheel installs beside the interpreter."""


def check_program() -> Iterator[Check]:
    """Yield the versions of ctxkit and Python, and whether the pages are installed."""
    import platform

    yield Check("program", "ctxkit", __version__)
    yield Check("program", "Python", f"{platform.python_version()}, {sys.executable}")
    yield Check("program", "platform", platform.platform())
    present = [name for name, path in PAGES if os.path.exists(os.path.join(sys.prefix, path))]
    missing = [name for name, _ in PAGES if name not in present]
    if missing:
        hint = f"the wheel puts them under {sys.prefix}/share; an editable installation does not"
        yield Check("program", "pages", f"not installed: {', '.join(missing)}", "absent", hint)
    else:
        yield Check("program", "pages", f"{', '.join(present)}, under {sys.prefix}/share")


TOPIC = "program"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 10
"""Maximum seconds for another program to print its version."""


def check_ownership() -> Iterator[Check]:
    """Yield the distribution of this program, and the program that PATH names first."""
    yield check_owners(find_owners())
    yield check_path(shutil.which("ctxkit"), find_own_path())


def find_owners(package: str = _PACKAGE) -> dict[str, str]:
    """Return the names and versions of the distributions that an uninstallation of the package's files would concern.

    They are those that list its files, and that of ctxkit, whose editable installation lists none.
    """
    owners: dict[str, str] = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and (name == DISTRIBUTION or _has_file(distribution, package)):
            owners.setdefault(name, distribution.version)
    return owners


def _has_file(distribution: metadata.Distribution, package: str) -> bool:
    """Return whether a distribution lists the package's ``__init__``, installed in its place or editable."""
    record = distribution.read_text("RECORD") or distribution.read_text("installed-files.txt") or ""
    if "_editable_impl_ctxkit.pth" in record:
        return True
    place = os.path.join(str(distribution.locate_file("")), "ctxkit")
    return "ctxkit/__init__.py" in record and os.path.realpath(place) == os.path.realpath(package)


def check_owners(owners: dict[str, str]) -> Check:
    """Return whether ctxkit's distribution alone owns the package."""
    named = " and ".join(f"{name} {version}" for name, version in sorted(owners.items()))
    others = sorted(owners.keys() - {DISTRIBUTION})
    if not owners:
        return Check(TOPIC, "distribution", f"none; the package runs from {os.path.dirname(_PACKAGE)}")
    if not others:
        return Check(TOPIC, "distribution", named)
    if DISTRIBUTION in owners:
        value = f"{named} own the same files: to remove one deletes those of the other"
    else:
        value = f"{named} owns the package, not {DISTRIBUTION}"
    hint = f"{uninstall_command(*sorted(owners))}; then install {DISTRIBUTION} again from its source"
    return Check(TOPIC, "distribution", value, "bad", hint)


def check_path(first: str | None, own: str) -> Check:
    """Return whether the program that PATH names first is this one, or one of the same version."""
    if first is None:
        hint = f"add {os.path.dirname(own)} to PATH: a map names ctxkit to read its content"
        return Check(TOPIC, "PATH", "no ctxkit is on PATH", "absent", hint)
    if os.path.realpath(first) == os.path.realpath(own):
        return Check(TOPIC, "PATH", f"{first} is the first ctxkit")
    version = _read_version(first) if os.path.isabs(first) else ""  # the current directory is not trusted
    if version.startswith(f"ctxkit {__version__} ("):
        return Check(TOPIC, "PATH", f"{first} is the first ctxkit; it has the version of {own}: {version}")
    value = f"{first} is the first ctxkit: {version or 'another program'}, not {own}"
    return Check(TOPIC, "PATH", value, "bad", f"put {os.path.dirname(own)} before {os.path.dirname(first)} in PATH")


def _read_version(program: str) -> str:
    """Return the first line that ``program --version`` prints, "" if it fails."""
    try:
        done = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").partition("\n")[0][:80]


EXTRAS = "extras"
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


def check_extras() -> Iterator[Check]:
    """Yield for each extra whether all its packages are installed, and the command that installs the others."""
    requirements = read_requirements()
    for extra, purpose in PURPOSES.items():
        packages = [requirement.package for requirement in requirements if requirement.extra == extra]
        missing = [package for package in packages if not is_installed(package)]
        if missing:
            few = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
            yield Check(EXTRAS, extra, f"{purpose}: lacks {few}", "absent", install_command(*missing))
        else:
            yield Check(EXTRAS, extra, f"{purpose}: installed")
