"""Summarization with a model that fills the template, in pieces if the conversation exceeds its prompt limit."""

from collections.abc import Callable, Iterable, Sequence

from ctxkit.core.errors import UsageError
from ctxkit.core.summary.chat_model import ChatModel
from ctxkit.core.summary.page import add_bullets, rank_bullets
from ctxkit.core.summary.page_validation import strip_answer
from ctxkit.core.summary.prompt import build_prompt, page_limit, render_earlier_page, split_into_pieces
from ctxkit.core.summary.summary_input import Summarizer, SummaryInput
from ctxkit.core.summary.template import SECTIONS, SummaryPage, parse_page, render_page
from ctxkit.core.tokens.vocabulary import Tokenizer

Watch = Callable[[Sequence[str]], Iterable[str]]
"""Function that passes pieces through and reports progress."""


def make_model_summarizer(connect: Callable[[], ChatModel], watch: Watch = iter) -> Summarizer:
    """Return a summarizer that asks a model; ``connect`` is called only when there is a question.

    Each prompt contains one piece and the page of the earlier pieces; an invalid answer leaves that page unchanged. The
    summarizer raises UsageError if the prompt limit is too small, and passes on the errors of ``connect`` and ``ask``.
    """

    def summarize(summary_input: SummaryInput) -> str:
        """Return the page from the answers, or the last raw answer if none contains a page."""
        chat_model = connect()
        count = chat_model.tokenizer or summary_input.count
        parts = split_into_pieces(summary_input, chat_model.prompt_limit, count, chat_model.max_prompts)
        if not parts:
            raise UsageError(f"the summarizer reads {chat_model.prompt_limit} tokens at once, too few for its prompt")
        page_tokens = page_limit(summary_input, chat_model.prompt_limit, count)
        page, answer, last_page = (
            _fit_page(parse_page(render_earlier_page(summary_input)) or SummaryPage(), page_tokens, count),
            "",
            None,
        )
        for part in watch(parts):
            answer = chat_model.ask(build_prompt(part, page))
            answer_page = parse_page(strip_answer(answer))
            if answer_page and any(answer_page.bullets(section) for section in SECTIONS):
                last_page = answer_page
                page = _fit_page(answer_page, page_tokens, count)
        return answer if last_page is None or len(parts) == 1 else render_page(last_page)

    return summarize


def _fit_page(page: SummaryPage, max_tokens: int, count: Tokenizer) -> str:
    """Return the bullets of a page that fit the next prompt, the first ones of each section first."""
    text = render_page(add_bullets(SummaryPage(), rank_bullets(page), max_tokens, count))
    return text if text != render_page(SummaryPage()) and count(text) <= max_tokens else ""
