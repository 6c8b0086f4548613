"""Chain several stores: write to the first that works, and search all of them for a ref."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError, DamagedContentError, NotStoredError
from ctxkit.core.store.store_interface import not_stored_error, resolve_ref

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import Blob, BlobWriter, CollectionResult, Store, StoredContent

    NotifyMoved = Callable[[Store, OSError], None]
    """Tells the user which store has the content, and why the previous store does not."""

    Result = TypeVar("Result")


class ChainedStore:
    """Writes to the first of ``stores`` that works and reads from all of them; satisfies store_interface.Store.

    ``others`` returns read-only stores, such as those of other sessions. It is called only if no store of ``stores``
    has a ref, or to list all content. A store that ``is_borrowed`` belongs to other calls too: the chain never empties
    it or collects from it.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        others: Callable[[], Sequence[Store]],
        notify_moved: NotifyMoved,
        is_borrowed: Callable[[Store], bool] = lambda _store: False,
    ) -> None:
        self._stores = stores
        self._others = others
        self._notify_moved = notify_moved
        self._is_borrowed = is_borrowed

    @property
    def place(self) -> str:
        """Return where content is stored if the first store works."""
        return self._stores[0].place

    def open_writer(self) -> BlobWriter:
        """Return a writer into the first store that works. Raise the error of the first store if none does."""
        return ChainedWriter(self._stores, self._notify_moved)

    def find(self, prefix: str) -> str:
        """Return the ref that begins with a prefix, from any store."""
        refs: list[str] = []
        first_error: OSError | None = None
        for stores in self._store_rounds():
            for store in stores:
                try:
                    refs.append(store.find(prefix))
                except NotStoredError:
                    continue
                except OSError as error:
                    first_error = first_error or error
            if refs:
                break
        if first_error and not refs:
            raise first_error
        return resolve_ref(prefix, list(dict.fromkeys(refs)))

    def has_ref(self, ref: str) -> bool:
        """Return whether any store has a ref."""
        return self._find_holder(ref) is not None

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to content in the first store that has it.

        Raise NotStoredError if none has, or DamagedContentError if those that have it hold other bytes.
        """
        damage: DamagedContentError | None = None
        for store in self._find_holders(ref):
            try:
                return store.open(ref, quietly=quietly)
            except DamagedContentError as error:
                damage = damage or error
        raise damage or not_stored_error(ref)

    def path(self, ref: str) -> str:
        """Return the path of the file of a ref, or the path that it would have in the first store."""
        return (self._find_holder(ref) or self._stores[0]).path(ref)

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob once, as described by the first store that has it."""
        seen: set[str] = set()
        for store in self._all_stores():
            for blob in store.blobs():
                if blob.ref not in seen:
                    seen.add(blob.ref)
                    yield blob

    def remove(self, ref: str) -> None:
        """Remove a blob from every store that has it."""
        _run_on_each(self._all_stores(), lambda store: store.remove(ref) if store.has_ref(ref) else None)

    def remove_all(self) -> list[Blob]:
        """Remove every blob from every store except borrowed stores; return the blobs.

        Raise the first error after every store has been tried.
        """
        return [
            blob for blobs in _run_on_each(self._owned_stores(), lambda store: store.remove_all()) for blob in blobs
        ]

    def narrow_to_owned(self) -> ChainedStore:
        """Return a store of those that are not borrowed: all that a removal of everything empties."""
        return ChainedStore(list(self._owned_stores()), list, self._notify_moved)

    def collect(self, max_age: float, max_size: int, spare: str = "") -> CollectionResult:
        """Collect in every store except borrowed stores.

        Raise the first error after every store has been tried.
        """
        from ctxkit.core.store.store_interface import CollectionResult

        swept = _run_on_each(self._owned_stores(), lambda store: store.collect(max_age, max_size, spare))
        return CollectionResult(*map(sum, zip(*swept, strict=True)))

    def tidy(self, read_limits: Callable[[], tuple[float, int]], spare: str = "") -> None:
        """Collect in each store whose last collection was more than an hour ago, except borrowed stores."""
        for store in self._stores:
            if not self._is_borrowed(store):
                store.tidy(read_limits, spare)

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, problem) for each damaged blob of every store."""
        for store in self._all_stores():
            yield from store.verify()

    def _store_rounds(self) -> Iterator[Sequence[Store]]:
        yield self._stores
        yield self._others()

    def _all_stores(self) -> Iterator[Store]:
        return (store for stores in self._store_rounds() for store in stores)

    def _owned_stores(self) -> Iterator[Store]:
        return (store for store in self._all_stores() if not self._is_borrowed(store))

    def _find_holder(self, ref: str) -> Store | None:
        """Return the first store that has a ref.

        Raise OSError if none has it and a store could not be read.
        """
        return next(self._find_holders(ref), None)

    def _find_holders(self, ref: str) -> Iterator[Store]:
        """Yield every store that has a ref; raise OSError if there is none and a store could not be read."""
        first_error, is_stored = None, False
        for store in self._all_stores():
            try:
                has_ref = store.has_ref(ref)
            except OSError as error:
                first_error = first_error or error
                continue
            if has_ref:
                is_stored = True
                yield store
        if first_error and not is_stored:
            raise first_error


class ChainedWriter:
    """Writes content to the first store that works, and continues in the next store if that store fails."""

    def __init__(self, stores: Sequence[Store], notify_moved: NotifyMoved) -> None:
        self._rest = iter(stores)
        self._notify_moved = notify_moved
        self._fallback: tuple[Store, OSError] | None = None
        first = next(self._rest)
        try:
            self._writer = first.open_writer()
        except OSError as error:
            self._writer = self._open_next(error, None)

    @property
    def size(self) -> int:
        """Return the number of bytes that ``replay`` can yield."""
        return self._writer.size

    def write(self, chunk: bytes) -> None:
        """Write the next bytes. Raise the error of the last store if no other works."""
        try:
            self._writer.write(chunk)
        except OSError as error:
            self._switch_store(error)
            self.write(chunk)

    def commit(self, label: Label) -> str:
        """Store the written bytes and return their ref. Raise the error of the last store if no other works."""
        try:
            ref = self._writer.commit(label)
        except OSError as error:
            self._switch_store(error)
            return self.commit(label)
        if self._fallback:
            self._notify_moved(*self._fallback)
        return ref

    def name_unfinished(self, label: Label) -> str:
        """Label the written bytes until ``commit``, and return their id."""
        return self._writer.name_unfinished(label)

    def replay(self) -> Iterator[bytes]:
        """Yield the written bytes again."""
        return self._writer.replay()

    def abandon(self) -> None:
        """Discard the written bytes."""
        self._writer.abandon()

    def _switch_store(self, error: OSError) -> None:
        """Copy the written bytes to the next store; if there is none, keep them and raise the error."""
        previous = self._writer
        self._writer = self._open_next(error, previous)
        previous.abandon()

    def _open_next(self, error: OSError, previous: BlobWriter | None) -> BlobWriter:
        """Return a writer into the next store that works, with the bytes of ``previous``.

        Raise ``error`` if no store works.
        """
        for store in self._rest:
            try:
                writer = store.open_writer()
            except OSError:
                continue
            try:
                for piece in previous.replay() if previous else ():
                    writer.write(piece)
            except OSError:
                writer.abandon()
                continue
            self._fallback = store, error
            return writer
        raise error


def _run_on_each(stores: Iterable[Store], work: Callable[[Store], Result]) -> list[Result]:
    """Call ``work`` on every store and return the results; raise the first error after the last store."""
    results: list[Result] = []
    first_error: OSError | CtxkitError | None = None
    for store in stores:
        try:
            results.append(work(store))
        except (OSError, CtxkitError) as error:
            first_error = first_error or error
    if first_error:
        raise first_error
    return results
