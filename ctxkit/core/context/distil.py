"""Having a model fill the template, piece by piece where a conversation is longer than what it reads at once."""

from collections.abc import Callable, Iterable

from ctxkit.core.context.checked import stripped
from ctxkit.core.context.matter import Matter, Summarizer
from ctxkit.core.context.prompt import known, pieces, prompt
from ctxkit.core.context.template import parse, render
from ctxkit.core.context.voice import Voice
from ctxkit.core.trouble import Misuse

Watch = Callable[[Iterable[str]], Iterable[str]]
"""Pass pieces on, and show whoever waits how far it is."""


def distilling(call: Callable[[], Voice], watch: Watch = iter) -> Summarizer:
    """Return a summarizer that asks a model; ``call`` reaches it once there is something to ask.

    Each piece is asked about together with the page that came of those before it; an answer that is no page leaves
    that page as it is. Raises Misuse when the model reads too little, and what ``call`` and asking raise.
    """

    def summarize(matter: Matter) -> str:
        """Return the page that the last answer holds, as it was written where it is the only one."""
        voice = call()
        parts = pieces(matter, voice.room, voice.tokenizer or matter.count)
        if not parts:
            raise Misuse(f"the summarizer reads {voice.room} tokens at once, too few for its prompt")
        page, answer = known(matter), ""
        for part in watch(parts):
            answer = voice.ask(prompt(part, page))
            found = parse(stripped(answer))
            page = render(found) if found else page
        return answer if len(parts) == 1 else page

    return summarize
