"""Keep on this machine what does not change in the sessions of a server, so that a call need not ask for it first."""

import json
import os
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from ctxkit.core.session.ledger import Session

_FACTS = ("name", "window", "reserve", "model", "tokenizer")
MOST_BYTES = 100_000
"""Size above which a file is not a copy of a session."""


class SessionCopies:
    """Names, windows and tokenizers of sessions, in a file for each; the server says whether they still hold."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def find(self, name: str) -> Session | None:
        """Return the session as this machine knows it, without its tokens; None if it is not known."""
        facts = _read_facts(self._find_path(name))
        return Session(**dict(zip(_FACTS, facts, strict=True))) if facts and facts[0] == name else None

    def list_names(self) -> list[str]:
        """Return the names of the sessions that this machine knows, in order."""
        try:
            entries = [entry.path for entry in os.scandir(self._directory) if "." not in entry.name]
        except OSError:
            return []
        return sorted(facts[0] for facts in map(_read_facts, entries) if facts)

    def save(self, session: Session) -> None:
        """Note a session, unless it is known as it is; a directory that cannot be written costs later round trips."""
        facts = [getattr(session, name) for name in _FACTS]
        copy = self.find(session.name)
        if copy is not None and facts == [getattr(copy, name) for name in _FACTS]:
            return
        path = self._find_path(session.name)
        with suppress(OSError):
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            draft = f"{path}.{os.getpid()}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
                file.write(json.dumps(facts).encode())
            os.replace(draft, path)

    def remove(self, name: str) -> None:
        """Forget a session."""
        with suppress(OSError):
            os.unlink(self._find_path(name))

    def _find_path(self, name: str) -> str:
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return os.path.join(self._directory, digest)


def _read_facts(path: str) -> list[Any] | None:
    """Return the facts of the session in a file, None if it has none."""
    try:
        with open(path, "rb") as file:
            facts = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    kinds = [str, int, int, str, str]
    return facts if isinstance(facts, list) and [type(fact) for fact in facts] == kinds else None
