"""Set an agent host up to run its commands through ctxkit, and remove the setup."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from json import dumps
from typing import Any, NamedTuple

from ctxkit.core.errors import CtxkitError, MalformedInputError, MissingDependencyError, UsageError
from ctxkit.core.hosts.host import ConflictError, Host, Programs, SettingsPlace
from ctxkit.core.hosts.jsonc import keep_empty
from ctxkit.core.hosts.mcp_server import PROGRAM, SettingsEdit, list_edits
from ctxkit.edge.host_directory import (
    CreatedDirectories,
    HostDirectory,
    HostFile,
    make_digest,
    make_executable,
    read_backup,
    read_host_file,
    remove_backup,
    remove_host_file,
    remove_host_script,
    replace_host_file,
    write_host_script,
)
from ctxkit.edge.user_dirs import has_home

_OWN_SCRIPT = b'Written by "ctxkit init '
"""What the head of a script has."""
_UNKNOWN_DIGEST = "unknown"
"""In place of a digest: equal to that of no file."""
_UNKNOWN = ""
"""Entry of the record for settings files that an earlier record, now lost, may have named."""


class SetupPlan(NamedTuple):
    """The changes of a setup or a removal: a settings file, its new text, and the scripts that the host calls.

    ``text`` is None if the file goes. ``scripts`` are new texts by path.
    """

    file: HostFile
    text: str | None
    scripts: Mapping[str, str] = {}

    @property
    def changes_settings(self) -> bool:
        """Return whether the settings file changes."""
        return (self.text or "").encode() != (self.file.data or b"")


class HostSetup:
    """The setup of a host; its directory below the data directory holds the scripts and the record."""

    def __init__(self, host: Host, data_dir: str) -> None:
        self._own = HostDirectory(data_dir, host.name)
        self.directory = self._own.path
        if host.script_place is not None and host.place_script is not None:
            host = host.place_script(_find_place(host.script_place))
        self.host = host
        self._created = CreatedDirectories(data_dir)

    def list_edits(self, scope: str, *, serves: bool = False) -> dict[str, SettingsEdit]:
        """Return the edits of settings by path, with those of the MCP server if ctxkit serves one."""
        programs = Programs(find_own_path(), sys.executable)
        edits = list_edits(self.host, scope, self.directory, programs, serves=serves)
        return {_find_place(edit.place): edit for edit in edits}

    def plan_setup(self, path: str, edit: SettingsEdit | None = None) -> SetupPlan:
        """Return what the setup changes in a settings file; without an edit, the hooks.

        Raise MalformedInputError for settings that cannot be parsed, UsageError if another program is set up.
        """
        file, edit = read_host_file(path), edit or self._make_edit()
        scripts = edit.scripts
        try:
            text = edit.install(file.text)
        except ConflictError as error:
            raise UsageError(f"{path}: {error}", hint=error.hint) from None
        except ValueError as error:
            raise MalformedInputError(f"{path}: {error}", hint="the file is unchanged") from None
        old = {path for path, script in scripts.items() if read_host_file(path).data != script.encode()}
        return SetupPlan(file, text, {path: scripts[path] for path in scripts if path in old})

    def apply_setup(self, plan: SetupPlan) -> None:
        """Write the scripts first, then the settings that name them; remember how the settings were."""
        record = self._own.load_record() or ({_UNKNOWN: ["", ""]} if os.path.exists(self.directory) else {})
        for path, script in plan.scripts.items():
            self._write_script(path, script)
        if plan.changes_settings and plan.text is not None:
            before, now = record.get(plan.file.path, ("", _UNKNOWN_DIGEST)), make_digest(plan.file)
            self._created.make(os.path.dirname(os.path.realpath(plan.file.path)))
            is_ours = before[1] == now  # an earlier setup wrote it: what was before that comes back
            is_mixed = not is_ours and self._is_named_in(plan.file)  # and others have changed it since
            replace_host_file(plan.file, plan.text, backup=not (is_ours or is_mixed))
            if self.host.runs_settings:
                make_executable(plan.file.path)
            after = make_digest(read_host_file(plan.file.path))
            original = before[0] if is_ours else _UNKNOWN_DIGEST if is_mixed else now
            self._own.save_record({**record, plan.file.path: [original, after]})

    def plan_removal(self, path: str, edit: SettingsEdit | None = None) -> SetupPlan:
        """Return what taking ctxkit away changes; raise MalformedInputError as ``plan_setup`` does.

        If nothing else has changed the file since the setup, it becomes what it was, byte for byte.
        """
        file, edit = read_host_file(path), edit or self._make_edit()
        before, after = self._own.load_record().get(path, ("", _UNKNOWN_DIGEST))
        backup = read_backup(file)
        if make_digest(file) == after and not before:
            return SetupPlan(file, None)
        if make_digest(file) == after and make_digest(backup) == before:
            return SetupPlan(file, backup.text)
        try:
            text = edit.remove(file.text)
        except ValueError as error:
            raise MalformedInputError(f"{path}: {error}", hint="the file is unchanged") from None
        if text is not None and backup.data is not None and make_digest(backup) == before:
            with suppress(ValueError):  # settings that are not JSON have no empty objects
                text = keep_empty(text, file.text, backup.text)
        return SetupPlan(file, text)

    def apply_removal(self, plan: SetupPlan) -> bool:
        """Change the settings; remove the scripts once no settings file names them, and directories that are empty.

        Return False if the scripts stay because the record is lost: settings that nobody knows of may name them, and
        Claude Code cannot run commands without one of them.
        """
        knows_all = self._remove_setup(plan)
        self.remove_kept()
        return knows_all

    def remove_kept(self) -> bool:
        """Remove what is kept of the sessions of the host if no settings name it, and directories that are empty.

        Return whether something was kept.
        """
        removed = not self.list_changed() and self._own.remove_pages()
        self._created.remove_empty()
        return removed

    def _remove_setup(self, plan: SetupPlan) -> bool:
        record = self._own.load_record()
        is_known = plan.file.path in record
        before, _ = record.pop(plan.file.path, ("", ""))
        if plan.text is None:
            remove_host_file(plan.file)
        elif plan.changes_settings:
            replace_host_file(plan.file, plan.text, backup=False)
            if before == make_digest(read_host_file(plan.file.path)) == make_digest(read_backup(plan.file)):
                remove_backup(plan.file)
        if _UNKNOWN not in record and is_known:
            self._remove_outer_scripts(record)
        if record:
            self._own.save_record(record)
            return _UNKNOWN not in record
        if not is_known:
            return False
        self._own.remove()
        return True

    def _remove_outer_scripts(self, settings: Iterable[str]) -> None:
        """Remove the scripts outside the directory that none of the settings files names."""
        for path in self._make_edit().scripts:
            if self._own.contains(path) or _OWN_SCRIPT not in (read_host_file(path).data or b""):
                continue
            if not any(_names_path(read_host_file(other), path) for other in settings):
                remove_host_script(path)

    def has_changed(self, path: str) -> bool:
        """Return whether a setup changed a settings file, and no removal has been made since."""
        return path in self._own.load_record()

    def list_changed(self) -> list[str]:
        """Return the paths of the settings files that setups changed, and no removal since."""
        return list(filter(None, self._own.load_record()))

    def is_set_up(self, path: str) -> bool:
        """Return whether settings call the scripts; False for settings that cannot be read."""
        try:
            return self.host.is_installed(read_host_file(path).text, self.directory)
        except (ValueError, CtxkitError):
            return False

    def is_serving(self, scope: str) -> bool:
        """Return whether the settings start the MCP server; False for settings that cannot be read."""
        mcp = self.host.mcp
        if mcp is None or scope not in mcp.places:
            return False
        try:
            text = read_host_file(_find_place(mcp.places[scope])).text
            return mcp.remove(text, os.path.join(self.directory, PROGRAM)) != text
        except (ValueError, CtxkitError):
            return False

    def _is_named_in(self, file: HostFile) -> bool:
        """Return whether a settings file names a script of ctxkit, also one of an earlier place."""
        return any(_names_path(file, path) for path in (self.directory, *self._make_edit().scripts))

    def _make_edit(self) -> SettingsEdit:
        return next(iter(self.list_edits(next(iter(self.host.settings))).values()))

    def _write_script(self, path: str, script: str) -> None:
        for directory in (self.directory, os.path.dirname(path)):
            self._created.make(os.path.abspath(directory))
        if self._own.contains(path):
            self._own.write_script(path, script)
        else:
            write_host_script(path, script)


def _names_path(file: HostFile, path: str) -> bool:
    """Return whether a file names a path, in either form of a JSON string."""
    forms = (dumps(path, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False))
    return any(form.encode("utf-8", "surrogateescape") in (file.data or b"") for form in forms)


def find_settings(host: Host, scope: str) -> str:
    """Return the settings file of a host for the user, or for the project of the working directory."""
    return _find_place(host.settings[scope])


def _find_place(place: SettingsPlace) -> str:
    """Return the path of a place."""
    if not place.default:
        return os.path.join(os.getcwd(), place.path)
    named = os.environ.get(place.variable, "") if place.variable else ""
    if not named and not has_home():
        raise UsageError("there is no home directory for the settings of the host", hint="set HOME")
    directory = named or os.path.join(os.path.expanduser("~"), place.default)
    return os.path.normpath(os.path.join(os.path.abspath(directory), place.path))


def check_project_file(path: str) -> None:
    """Raise UsageError if the settings file of a project is a link out of it, as in a stranger's repository."""
    if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(os.getcwd()), "")):
        raise UsageError(f"{path} is a link out of the project", hint="remove the link")


def find_own_path() -> str:
    """Return the path of the ctxkit program that an upgrade keeps: links are not followed."""
    beside = os.path.join(os.path.dirname(sys.executable), "ctxkit")
    named = shutil.which("ctxkit")
    if named and os.path.realpath(named) == os.path.realpath(beside):
        return os.path.abspath(named)
    return os.path.abspath(beside if os.access(beside, os.X_OK) else named or sys.argv[0])


_MAX_MANIFEST = 1 << 20
"""Maximum bytes of a package.json."""
LEVELS = 4
"""Most directories between a program and the package.json of its package."""


def find_version(program: str) -> str:
    """Return the version of a program on PATH that npm installed, "" if it is unknown, or "absent"."""
    path = shutil.which(program)
    if path is None:
        return "absent"
    return next(_find_manifest_versions(os.path.dirname(os.path.realpath(path))), "")


def _find_manifest_versions(directory: str) -> Iterator[str]:
    """Yield the versions that package.json gives, in a directory and those above it."""
    for _ in range(LEVELS):
        try:
            with open(os.path.join(directory, "package.json"), "rb") as file:
                value = json.loads(file.read(_MAX_MANIFEST))
        except (OSError, ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("version"), str):
            yield value["version"]
        directory = os.path.dirname(directory)


DEADLINE = 30
"""Seconds for the whole conversation with the app-server."""


class AppServer:
    """A running ``codex app-server``, which speaks JSON lines on stdin and stdout."""

    def __init__(self, program: str) -> None:
        self._end = time.monotonic() + DEADLINE
        self._buffer = b""
        self._number = 0
        argv = [program, "app-server"]
        self._process = subprocess.Popen(argv, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, bufsize=0)

    def __enter__(self) -> "AppServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def initialize(self) -> None:
        """Introduce ctxkit, as the protocol demands."""
        self.call("initialize", {"clientInfo": {"name": "ctxkit", "title": "ctxkit", "version": "1"}})
        self._send({"method": "initialized"})

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request; raise MissingDependencyError if there is none in time."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = json.loads(self._read_line())
            if isinstance(message, dict) and message.get("id") == self._number and "method" not in message:
                result = message.get("result")
                if not isinstance(result, dict):
                    raise MissingDependencyError(f"codex app-server: {method} failed")
                return result

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0, self._end - time.monotonic()))
            data = self._process.stdout.read(1 << 16) if ready else b""
            if not data:
                raise MissingDependencyError("codex app-server: no answer")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


def trust_hooks(program: str, command: str, directory: str) -> bool:
    """Trust the hooks that run a command, and return whether Codex then lists each of them as trusted.

    Raise CtxkitError if Codex does not answer, or knows no such hook.
    """
    try:
        with AppServer(program) as server:
            server.initialize()
            hooks = _list_hooks(server, command, directory)
            if not hooks:
                raise MissingDependencyError("codex app-server: lists no hook of ctxkit")
            value = {hook["key"]: {"trusted_hash": hook["currentHash"], "enabled": True} for hook in hooks}
            edits = [{"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}]
            server.call("config/batchWrite", {"edits": edits, "filePath": None, "expectedVersion": None})
            return all(hook.get("trustStatus") == "trusted" for hook in _list_hooks(server, command, directory))
    except CtxkitError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MissingDependencyError(f"codex app-server: {error}") from error


def _list_hooks(server: AppServer, command: str, directory: str) -> list[dict[str, Any]]:
    """Return the hooks that run a command, as Codex lists them."""
    result = server.call("hooks/list", {"cwds": [directory]})
    return [hook for entry in result["data"] for hook in entry["hooks"] if hook.get("command") == command]
