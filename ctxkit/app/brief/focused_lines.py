"""Find the lines of stored content that match a focus best, in a worker process."""

from ctxkit.app.services import engines, workers
from ctxkit.core.brief.focus.passages import select_passages
from ctxkit.core.store.store_interface import StoredContent, open_as_utf8
from ctxkit.edge.request import Call


def find_passages(content: StoredContent, focus: str, target: int, call: Call) -> bytes | None:
    """Return the lines that match a focus within a number of tokens, with their numbers.

    Return b"" if no line holds a word of the focus, None if not even one line fits. Raise WorkerDiedError for content
    that takes too much memory or time.
    """
    count = engines.load_tokenizer(call.request.vocabulary(call.settings))
    text = open_as_utf8(content)[1]
    passages = workers.isolate(lambda: select_passages(text, focus, count, target), text.size)
    return None if passages is None else str(passages).encode("utf-8", "replace")
