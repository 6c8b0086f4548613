"""The folder in which a command ran, if the conversation has commands in several."""

from collections.abc import Mapping, Sequence

from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.shell import FileEffects

FOLDER_ARGUMENTS = ("workdir", "cwd", "working_directory", "workingDirectory", "directory", "dir_path")
"""The arguments with which tools name the folder of a command."""
MAX_FOLDERS = 200
"""Maximum number of folders that are compared."""


def find_work_folders(calls: Sequence[ClassifiedCall]) -> Mapping[str, str]:
    """Return the folders of the commands, each with its place within the one that contains it, absolute without one.

    A single folder has no place: the names in commands are relative to it.
    """
    folders = list(dict.fromkeys(filter(None, map(read_work_folder, calls))))[:MAX_FOLDERS]
    roots: list[str] = []
    for folder in sorted(folders, key=len):
        if not any(_is_within(folder, root) for root in roots):
            roots.append(folder)
    if len(roots) != 1:
        return {folder: folder for folder in folders}
    return {folder: folder[len(roots[0].rstrip("/")) + 1 :] for folder in folders}


def read_work_folder(call: ClassifiedCall) -> str:
    """Return the absolute folder that a command names as an argument, without its last slash; empty without one."""
    folder = call.call.first_string(*FOLDER_ARGUMENTS) if call.kind == "run" else ""
    return folder.rstrip("/") if folder.startswith("/") else ""


def place_effects(effects: FileEffects, folder: str) -> FileEffects:
    """Return effects with their relative paths within a folder, which may be empty."""
    if not folder:
        return effects
    return FileEffects(
        tuple(_join(folder, path) for path in effects.changed),
        tuple(_join(folder, path) for path in effects.removed),
        tuple((_join(folder, old), _join(folder, new)) for old, new in effects.moved),
        tuple(_join(folder, path) for path in effects.read),
    )


def _is_within(folder: str, root: str) -> bool:
    return f"{folder}/".startswith(f"{root.rstrip('/')}/")


def _join(folder: str, path: str) -> str:
    """Return a relative path within a folder; one that leaves the folder, or is absolute, stays."""
    is_inner = path[:1] not in ("/", "~") and path[1:2] != ":" and not path.startswith("..")
    return f"{folder}/{path.removeprefix('./')}" if is_inner else path
