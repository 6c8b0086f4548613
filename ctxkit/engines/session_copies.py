"""Keep on this machine what does not change in the sessions of a server, so that a call need not ask for it first."""

import json
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from ctxkit.core.session.ledger import Session
from ctxkit.system import own_files
from ctxkit.system.own_files import StoreFolder

_FACTS = ("name", "window", "reserve", "model", "tokenizer")
MOST_BYTES = 100_000
"""Size above which a file is not a copy of a session."""
LEVELS = 2
"""Number of folders of ctxkit's own at the end of the path of the directory."""


class SessionCopies:
    """Names, windows and tokenizers of sessions, in a file for each; the server says whether they still hold."""

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def find(self, name: str) -> Session | None:
        """Return the session as this machine knows it, without its tokens; None if it is not known."""
        facts: list[Any] | None = None
        with suppress(OSError), self._open() as folder:
            facts = _read_facts(folder, _name_file(name))
        return Session(**dict(zip(_FACTS, facts, strict=True))) if facts and facts[0] == name else None

    def list_names(self) -> list[str]:
        """Return the names of the sessions that this machine knows, in order."""
        try:
            with self._open() as folder:
                copies = [_read_facts(folder, name) for name in folder.list_names() if "." not in name]
        except OSError:
            return []
        return sorted(facts[0] for facts in copies if facts)

    def save(self, session: Session) -> None:
        """Note a session, unless it is known as it is; a directory that cannot be written costs later round trips."""
        facts = [getattr(session, name) for name in _FACTS]
        copy = self.find(session.name)
        if copy is not None and facts == [getattr(copy, name) for name in _FACTS]:
            return
        with suppress(OSError), self._open(make=True) as folder:
            own_files.replace_file(folder, _name_file(session.name), json.dumps(facts).encode())

    def remove(self, name: str) -> None:
        """Forget a session."""
        with suppress(OSError), self._open() as folder:
            folder.remove(_name_file(name))

    def _open(self, *, make: bool = False) -> StoreFolder:
        return own_files.open_own_folder(self._directory, LEVELS, make=make)


def _name_file(session: str) -> str:
    return blake2b(session.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _read_facts(folder: StoreFolder, name: str) -> list[Any] | None:
    """Return the facts of the session in a file, None if it has none."""
    try:
        facts = json.loads(own_files.read_file(folder, name, MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    kinds = [str, int, int, str, str]
    return facts if isinstance(facts, list) and [type(fact) for fact in facts] == kinds else None
