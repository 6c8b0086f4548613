"""Store content as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import Store


def store_content(store: Store, content: Iterable[bytes], label: Label) -> str:
    """Store content and return its ref; leave nothing behind on failure."""
    writer = store.open_writer()
    try:
        for chunk in content:
            writer.write(chunk)
        return writer.commit(label)
    except BaseException:
        writer.abandon()
        raise
