"""Several stores behind one: content goes to the first that works, and a ref is looked for in all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ctxkit.core.errors import CtxkitError, NotStoredError
from ctxkit.core.store.blobs import (
    Blob,
    BlobWriter,
    CollectionResult,
    Store,
    StoredContent,
    not_stored_error,
    resolve_ref,
)
from ctxkit.core.store.label import Label

Result = TypeVar("Result")
NotifyMoved = Callable[[Store, OSError], None]
"""Tell the user which store has the content, and why the one before it does not."""


class ChainedStore:
    """Write to the first of ``stores`` that works, and read from all of them; satisfies core.store.Store.

    ``others`` returns stores that are only read from, such as those of other sessions; it is called only if
    a ref is in none of ``stores``, or if all content is asked for. A store that ``is_borrowed`` belongs to other
    calls as well: it is never emptied or collected from here.
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
        """Return where content is kept if nothing is in the way."""
        return self._stores[0].place

    def open_writer(self) -> BlobWriter:
        """Begin to take content in, in the first store that works. Raises what the first store raised."""
        return ChainedWriter(self._stores, self._notify_moved)

    def find(self, prefix: str) -> str:
        """Return the ref that a prefix means, in whichever store."""
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
        """Tell whether any store has a ref."""
        return self._find_holder(ref) is not None

    def open(self, ref: str, *, quietly: bool = False) -> StoredContent:
        """Return access to content in the first store that has it."""
        store = self._find_holder(ref)
        if store is None:
            raise not_stored_error(ref)
        return store.open(ref, quietly=quietly)

    def path(self, ref: str) -> str:
        """Return the path of the file that holds a ref, or would hold it."""
        return (self._find_holder(ref) or self._stores[0]).path(ref)

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob once, as the first store that has it says."""
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
        """Remove every blob from every store but borrowed ones; return the blobs.

        Raises the first error, once all else is removed.
        """
        return [
            blob for blobs in _run_on_each(self._owned_stores(), lambda store: store.remove_all()) for blob in blobs
        ]

    def collect(self, max_age: float, max_size: int, spare: str = "") -> CollectionResult:
        """Collect in every store but borrowed ones. Raises the first error, once all others have collected."""
        swept = _run_on_each(self._owned_stores(), lambda store: store.collect(max_age, max_size, spare))
        return CollectionResult(*map(sum, zip(*swept, strict=True)))

    def tidy(self, max_age: float, max_size: int, spare: str = "") -> None:
        """Collect in each store that nobody has collected in for an hour."""
        for store in self._stores:
            if not self._is_borrowed(store):
                store.tidy(max_age, max_size, spare)

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, what is wrong) for each damaged blob of every store."""
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
        """Return the first store that has a ref. Raises OSError if none has it and one could not be asked."""
        first_error: OSError | None = None
        for store in self._all_stores():
            try:
                if store.has_ref(ref):
                    return store
            except OSError as error:
                first_error = first_error or error
        if first_error:
            raise first_error
        return None


class ChainedWriter:
    """Take content into the first store that works, and carry it on to the next if that one fails midway."""

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
        """Return the number of bytes that are safe."""
        return self._writer.size

    def write(self, chunk: bytes) -> None:
        """Take the next bytes. Raises what the last store raised."""
        try:
            self._writer.write(chunk)
        except OSError as error:
            self._switch_store(error)
            self.write(chunk)

    def commit(self, label: Label) -> str:
        """Store what was taken and return its ref. Raises what the last store raised."""
        try:
            ref = self._writer.commit(label)
        except OSError as error:
            self._switch_store(error)
            return self.commit(label)
        if self._fallback:
            self._notify_moved(*self._fallback)
        return ref

    def replay(self) -> Iterator[bytes]:
        """Yield back what was taken."""
        return self._writer.replay()

    def abandon(self) -> None:
        """Forget what was taken."""
        self._writer.abandon()

    def _switch_store(self, error: OSError) -> None:
        """Take what was taken into the next store; if there is none, keep it and raise the error."""
        previous = self._writer
        self._writer = self._open_next(error, previous)
        previous.abandon()

    def _open_next(self, error: OSError, previous: BlobWriter | None) -> BlobWriter:
        """Return a writer of the next store that works, with the bytes of ``previous``; else raise the error."""
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
    """Do the work on every store and return the results; raise the first error when all others are done."""
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
