"""Files that are written whole: what others see is the old one or the new one, never a part."""

import os

from ctxkit.core.trouble import IOFailed


def write(path: str, data: bytes) -> None:
    """Write a file, in place of one that may be there, whose permissions it keeps; raises IOFailed."""
    path = os.path.realpath(path)
    beside = f"{path}.{os.getpid()}.new"
    try:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with open(file, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(file)
        os.replace(beside, path)
    except OSError as error:
        raise IOFailed(f"{path}: {error.strerror}") from error
    finally:
        if os.path.exists(beside):
            os.unlink(beside)


def read(path: str) -> str:
    """Return the text of a file, empty where there is none; raises IOFailed."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise IOFailed(f"{path}: {error.strerror}") from error
