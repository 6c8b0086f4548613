"""Writing mended files back: whole or not at all, and never over what changed meanwhile."""

import os
import tempfile
from collections.abc import Iterator
from difflib import unified_diff

from ctxkit.core.lint.document import Document
from ctxkit.core.lint.workspace import Workspace
from ctxkit.core.trouble import IOFailed
from ctxkit.edge import say


def write(root: str, before: Workspace, after: Workspace) -> int:
    """Write the documents that differ; return how many could not be, each with a warning."""
    left = 0
    for old, new in _changed(before, after):
        path = os.path.realpath(os.path.join(root, old.path))
        try:
            with open(path, "rb") as file:
                same = file.read() == old.encoded()
            if same:
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


def diff(before: Workspace, after: Workspace, prefix: str) -> Iterator[str]:
    """Yield what would change, as ``git apply`` takes it."""
    for old, new in _changed(before, after):
        yield from _unified(old, new, f"{prefix}{old.path}")


def _unified(old: Document, new: Document, path: str) -> Iterator[str]:
    lines = (old.text.splitlines(keepends=True), new.text.splitlines(keepends=True))
    for line in unified_diff(*lines, f"a/{path}", f"b/{path}", n=3):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
