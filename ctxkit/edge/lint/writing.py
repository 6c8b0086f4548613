"""Writing mended files back, whole or not at all, never over what changed meanwhile; or showing what would change."""

import os
import tempfile
from collections.abc import Iterator
from difflib import unified_diff

from ctxkit.core.lint.document import Document
from ctxkit.core.lint.rules.secrets import masked
from ctxkit.core.lint.workspace import Workspace
from ctxkit.core.trouble import IOFailed
from ctxkit.edge import say


def write(root: str, before: Workspace, after: Workspace) -> int:
    """Write the documents that differ; return how many changed meanwhile and stay as they are, each with a warning.

    Raises IOFailed when one cannot be read or written.
    """
    left = 0
    for old, new in _changed(before, after):
        path = os.path.realpath(os.path.join(root, old.path))
        try:
            if _unchanged(path, old.encoded()):
                _replace(path, new.encoded())
            else:
                left += 1
                say.warn(f"{old.path} changed meanwhile, and stays as it is")
        except OSError as error:
            raise IOFailed(f"{old.path}: {error.strerror}") from None
    return left


def _changed(before: Workspace, after: Workspace) -> Iterator[tuple[Document, Document]]:
    for old, new in zip(before.documents, after.documents, strict=True):
        if old.text != new.text:
            yield old, new


def _unchanged(path: str, data: bytes) -> bool:
    """Tell whether a file still holds what was read; one that is gone does not."""
    try:
        with open(path, "rb") as file:
            return file.read() == data
    except FileNotFoundError:
        return False


def _replace(path: str, data: bytes) -> None:
    """Put bytes in the place of a file at once, with its permissions."""
    mode = os.stat(path).st_mode & 0o7777
    handle, name = tempfile.mkstemp(prefix=".ctxkit-", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def diff(before: Workspace, after: Workspace, prefix: str) -> Iterator[bytes]:
    """Yield the lines of what would change, as ``git apply`` takes them.

    Secrets are starred in them: a diff that comes near one cannot be applied, and a warning says so. Neither can
    one of UTF-16, of which only the warning comes.
    """
    for old, new in _changed(before, after):
        path = f"{prefix}{old.path}"
        if old.encoding != "utf-8":
            say.warn(f"{path} is UTF-16, and no diff can show it; --fix mends it")
            continue
        plain = list(_unified(_text(old), _text(new), path))
        shown = list(_unified(masked(_text(old)), masked(_text(new)), path))
        if shown != plain:
            say.warn(f"the diff of {path} stars a secret, and cannot be applied; --fix mends the file")
        yield from (line.encode("utf-8", "surrogateescape") for line in shown)


def _text(document: Document) -> str:
    """Return what is in a file as text, its byte order mark included."""
    return document.encoded().decode("utf-8", "surrogateescape")


def _unified(old: str, new: str, path: str) -> Iterator[str]:
    for line in unified_diff(_lines(old), _lines(new), _header(f"a/{path}"), _header(f"b/{path}"), n=3):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _header(path: str) -> str:
    """Return a path as git writes it in a diff: quoted, with octal escapes, where it has control characters."""
    if path.isprintable() and not {'"', "\\"} & set(path):
        return path
    data = path.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}" for byte in data) + '"'


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their endings; only a line feed ends one, as git has it."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
