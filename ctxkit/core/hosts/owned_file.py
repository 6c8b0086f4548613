"""Write and remove files in the settings of a host that belong to ctxkit as a whole."""

from collections.abc import Callable

from ctxkit.core.hosts.host import ConflictError
from ctxkit.core.named_tuple import NamedTuple

MARK = "Written by ctxkit init "
"""What a file of ctxkit has in its head."""


class OwnedFile(NamedTuple):
    """A file that belongs to ctxkit as a whole.

    For the directory of the scripts, ``make_content`` returns the text of the file, and ``name_hook`` how it names the
    hook.
    """

    make_content: Callable[[str], str]
    name_hook: Callable[[str], str]

    def install(self, text: str, directory: str) -> str:
        """Return the new text of the file; raise ConflictError if it is not a file of ctxkit."""
        if text.strip() and MARK not in text:
            raise ConflictError("is not a file of ctxkit", hint="rename the file to have ctxkit there")
        return self.make_content(directory)

    def remove(self, text: str, directory: str) -> str | None:
        """Return None if the file belongs to ctxkit and names the hook, else its text."""
        return None if MARK in text and self.name_hook(directory) in text else text

    def is_installed(self, text: str, directory: str) -> bool:
        """Return whether the file belongs to ctxkit and names the hook."""
        return self.remove(text, directory) is None


def find_no_rivals(_text: str) -> list[str]:
    """Return no names: the file has no hooks of others."""
    return []
