"""Files that are kept for the sessions of agent hosts: ``hosts/pages/HOST/SESSION.md`` in the data directory.

Version 0.1.0 kept them in ``hosts/pages``, where they are still read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ctxkit.app.services.stores import data_dir
from ctxkit.edge import say
from ctxkit.edge.host_directory import HOSTS, PAGES
from ctxkit.system import own_files
from ctxkit.system.safe_directory import open_folder

if TYPE_CHECKING:
    from ctxkit.core.hosts.host import HookEvent, Host
    from ctxkit.edge.settings import Settings
    from ctxkit.system.safe_directory import StoreFolder

FOLDERS = (HOSTS, PAGES)
"""The folder of the pages in the data directory; it has a folder for each host."""
PAGE, DELIVERY = ".md", ".json"
"""Endings of the names of the files of a session."""
MAX_AGE = 30 * 24 * 3600
"""Seconds after which the files of a session are removed."""


def keep_page(event: HookEvent, host: Host, page: str, settings: Settings) -> None:
    """Keep the facts of a session until its next start; only warn on failure."""
    keep_file(event, host, PAGE, page.encode("utf-8", "replace"), settings)


def keep_file(event: HookEvent, host: Host, ending: str, data: bytes, settings: Settings) -> None:
    """Keep a file for a session, and remove those of sessions of long ago; only warn on failure."""
    try:
        with _open_pages(settings, make=True) as pages, pages.open_subfolder(host.name, make=True) as folder:
            for place in (pages, folder):
                own_files.remove_older(place, MAX_AGE, (PAGE, DELIVERY))
            own_files.replace_file(folder, f"{event.session}{ending}", data)
            pages.remove(f"{event.session}{ending}")
    except OSError as error:
        say.warn(f"the facts of the session are not kept: {error.strerror}: {error.filename}")


def load_page(event: HookEvent, host: Host, settings: Settings) -> str:
    """Return the kept facts of a session, "" if there are none."""
    return read_file(event, host, PAGE, settings).decode("utf-8", "replace")


def read_file(event: HookEvent, host: Host, ending: str, settings: Settings) -> bytes:
    """Return a file that is kept for a session, empty if there is none or it cannot be read."""
    name = f"{event.session}{ending}"
    with suppress(OSError), _open_pages(settings) as pages:
        with suppress(FileNotFoundError), pages.open_subfolder(host.name, restrict=True) as folder:
            return own_files.read_file(folder, name)
        return own_files.read_file(pages, name)
    return b""


def remove_session_files(session: str, settings: Settings) -> bool:
    """Remove what is kept for a session of any host; return whether there was something."""
    removed = 0
    with suppress(OSError), _open_pages(settings) as pages:
        names = [f"{session}{ending}" for ending in (PAGE, DELIVERY)]
        removed += sum(map(pages.remove, names))
        for host in pages.list_names():
            with suppress(OSError), pages.open_subfolder(host, restrict=True) as folder:
                removed += sum(map(folder.remove, names))
    return removed > 0


def has_session_files(session: str, settings: Settings) -> bool:
    """Return whether something is kept for a session of a host."""
    with suppress(OSError), _open_pages(settings) as pages:
        for host in pages.list_names():
            with suppress(OSError), pages.open_subfolder(host, restrict=True) as folder:
                if folder.stat(f"{session}{PAGE}"):
                    return True
        return pages.stat(f"{session}{PAGE}") is not None
    return False


def _open_pages(settings: Settings, *, make: bool = False) -> StoreFolder:
    return open_folder(data_dir(settings), *FOLDERS, make=make, restrict=True)
