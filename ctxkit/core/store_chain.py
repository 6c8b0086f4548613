"""Several stores behind one: content goes to the first that works, and a ref is looked for in all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ctxkit.core.label import Label
from ctxkit.core.store import Blob, Held, Intake, Store, Swept, not_held, one_ref
from ctxkit.core.trouble import NotHeld, Trouble

Result = TypeVar("Result")
Moved = Callable[[Store, OSError], None]
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
        moved: Moved,
        is_borrowed: Callable[[Store], bool] = lambda _store: False,
    ) -> None:
        self._stores = stores
        self._others = others
        self._moved = moved
        self._is_borrowed = is_borrowed

    @property
    def place(self) -> str:
        """Return where content is kept if nothing is in the way."""
        return self._stores[0].place

    def intake(self) -> Intake:
        """Begin to take content in, in the first store that works. Raises what the first store raised."""
        return ChainedIntake(self._stores, self._moved)

    def find(self, prefix: str) -> str:
        """Return the ref that a prefix means, in whichever store."""
        refs: list[str] = []
        trouble: OSError | None = None
        for stores in self._rounds():
            for store in stores:
                try:
                    refs.append(store.find(prefix))
                except NotHeld:
                    continue
                except OSError as error:
                    trouble = trouble or error
            if refs:
                break
        if trouble and not refs:
            raise trouble
        return one_ref(prefix, list(dict.fromkeys(refs)))

    def holds(self, ref: str) -> bool:
        """Tell whether any store has a ref."""
        return self._holder(ref) is not None

    def open(self, ref: str, *, quietly: bool = False) -> Held:
        """Return access to content in the first store that has it."""
        store = self._holder(ref)
        if store is None:
            raise not_held(ref)
        return store.open(ref, quietly=quietly)

    def path(self, ref: str) -> str:
        """Return the path of the file that holds a ref, or would hold it."""
        return (self._holder(ref) or self._stores[0]).path(ref)

    def blobs(self) -> Iterable[Blob]:
        """Yield every blob once, as the first store that has it says."""
        seen: set[str] = set()
        for store in self._all():
            for blob in store.blobs():
                if blob.ref not in seen:
                    seen.add(blob.ref)
                    yield blob

    def remove(self, ref: str) -> None:
        """Remove a blob from every store that has it."""
        _each(self._all(), lambda store: store.remove(ref) if store.holds(ref) else None)

    def remove_all(self) -> list[Blob]:
        """Remove every blob from every store but borrowed ones; return the blobs.

        Raises the first error, once all else is removed.
        """
        return [blob for blobs in _each(self._owned(), lambda store: store.remove_all()) for blob in blobs]

    def collect(self, max_age: float, max_size: int, spare: str = "") -> Swept:
        """Collect in every store but borrowed ones. Raises the first error, once all others have collected."""
        swept = _each(self._owned(), lambda store: store.collect(max_age, max_size, spare))
        return Swept(*map(sum, zip(*swept, strict=True)))

    def tidy(self, max_age: float, max_size: int, spare: str = "") -> None:
        """Collect in each store that nobody has collected in for an hour."""
        for store in self._stores:
            if not self._is_borrowed(store):
                store.tidy(max_age, max_size, spare)

    def verify(self) -> Iterator[tuple[str, str]]:
        """Yield (ref, what is wrong) for each damaged blob of every store."""
        for store in self._all():
            yield from store.verify()

    def _rounds(self) -> Iterator[Sequence[Store]]:
        yield self._stores
        yield self._others()

    def _all(self) -> Iterator[Store]:
        return (store for stores in self._rounds() for store in stores)

    def _owned(self) -> Iterator[Store]:
        return (store for store in self._all() if not self._is_borrowed(store))

    def _holder(self, ref: str) -> Store | None:
        """Return the first store that has a ref. Raises OSError if none has it and one could not be asked."""
        trouble: OSError | None = None
        for store in self._all():
            try:
                if store.holds(ref):
                    return store
            except OSError as error:
                trouble = trouble or error
        if trouble:
            raise trouble
        return None


class ChainedIntake:
    """Take content into the first store that works, and carry it on to the next if that one fails midway."""

    def __init__(self, stores: Sequence[Store], moved: Moved) -> None:
        self._rest = iter(stores)
        self._moved = moved
        self._detour: tuple[Store, OSError] | None = None
        first = next(self._rest)
        try:
            self._intake = first.intake()
        except OSError as error:
            self._intake = self._next(error, None)

    @property
    def size(self) -> int:
        """Return the number of bytes that are safe."""
        return self._intake.size

    def write(self, chunk: bytes) -> None:
        """Take the next bytes. Raises what the last store raised."""
        try:
            self._intake.write(chunk)
        except OSError as error:
            self._carry_on(error)
            self.write(chunk)

    def commit(self, label: Label) -> str:
        """Store what was taken and return its ref. Raises what the last store raised."""
        try:
            ref = self._intake.commit(label)
        except OSError as error:
            self._carry_on(error)
            return self.commit(label)
        if self._detour:
            self._moved(*self._detour)
        return ref

    def replay(self) -> Iterator[bytes]:
        """Yield back what was taken."""
        return self._intake.replay()

    def abandon(self) -> None:
        """Forget what was taken."""
        self._intake.abandon()

    def _carry_on(self, error: OSError) -> None:
        """Take what was taken into the next store; if there is none, keep it and raise the error."""
        before = self._intake
        self._intake = self._next(error, before)
        before.abandon()

    def _next(self, error: OSError, before: Intake | None) -> Intake:
        """Return an intake of the next store that works, which has taken what ``before`` has; else raise the error."""
        for store in self._rest:
            try:
                intake = store.intake()
            except OSError:
                continue
            try:
                for piece in before.replay() if before else ():
                    intake.write(piece)
            except OSError:
                intake.abandon()
                continue
            self._detour = store, error
            return intake
        raise error


def _each(stores: Iterable[Store], work: Callable[[Store], Result]) -> list[Result]:
    """Do the work on every store and return the results; raise the first error when all others are done."""
    results: list[Result] = []
    trouble: OSError | Trouble | None = None
    for store in stores:
        try:
            results.append(work(store))
        except (OSError, Trouble) as error:
            trouble = trouble or error
    if trouble:
        raise trouble
    return results
