"""Having a model fill the template, piece by piece where a conversation is longer than what it reads at once."""

from collections.abc import Callable, Iterable, Sequence

from ctxkit.core.context.checked import stripped
from ctxkit.core.context.limits import limited
from ctxkit.core.context.matter import Matter, Summarizer
from ctxkit.core.context.prompt import known, page_room, pieces, prompt
from ctxkit.core.context.template import SECTIONS, Context, parse, render
from ctxkit.core.context.voice import Voice
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.trouble import Misuse

Watch = Callable[[Sequence[str]], Iterable[str]]
"""Pass pieces on, and show whoever waits how far it is."""


def distilling(call: Callable[[], Voice], watch: Watch = iter) -> Summarizer:
    """Return a summarizer that asks a model; ``call`` reaches it once there is something to ask.

    Each piece is asked about together with the page that came of those before it; an answer that is no page leaves
    that page as it is. Raises Misuse when the model reads too little, and what ``call`` and asking raise.
    """

    def summarize(matter: Matter) -> str:
        """Return the page that the answers hold, the last answer as it was written where none was a page."""
        voice = call()
        count = voice.tokenizer or matter.count
        parts = pieces(matter, voice.room, count, voice.most)
        if not parts:
            raise Misuse(f"the summarizer reads {voice.room} tokens at once, too few for its prompt")
        most = page_room(matter, voice.room, count)
        page, answer, made = _within(parse(known(matter)) or Context(), most, count), "", None
        for part in watch(parts):
            answer = voice.ask(prompt(part, page))
            found = parse(stripped(answer))
            if found and any(found.bullets(section) for section in SECTIONS):
                made = found
                page = _within(found, most, count)
        return answer if made is None or len(parts) == 1 else render(made)

    return summarize


def _within(page: Context, room: int, count: Tokenizer) -> str:
    """Return a page that fits into the next prompt, the last bullets of its longest sections left out."""
    page = limited(page._replace(extra=(), done=()))
    if page == Context():
        return ""
    while count(text := render(page)) > room:
        longest = max(SECTIONS[1:], key=lambda section: len("".join(page.bullets(section))))
        if not page.bullets(longest):
            return ""
        page = page.filled(longest, page.bullets(longest)[:-1])
    return text
