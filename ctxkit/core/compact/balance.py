"""What a conversation and each of its entries take, as ``ctxkit count`` counts them."""

from collections.abc import Iterable

from ctxkit.core.chat.message import Message
from ctxkit.core.chat.record import Record
from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.meter import Meter
from ctxkit.core.count.row import Row, Scale
from ctxkit.core.count.scheme import scheme_of
from ctxkit.core.count.sheet import Sheet, Sum
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.vocabulary import Vocabulary


class Memory(Meter):
    """Count every text once."""

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer) -> None:
        super().__init__(vocabulary, count)
        self._known: dict[str, Amount] = {}

    def of(self, text: str) -> Amount:
        """Return the tokens of a text."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = super().of(text)
        return found


class Balance(Scale):
    """Weigh messages, each once: what a compaction leaves as it was is not counted again.

    Sizes are the most that something may take, which for a public vocabulary is nearly what it takes.
    """

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer, model: str = "", provider: str = "") -> None:
        super().__init__(scheme_of(model, vocabulary, provider), Memory(vocabulary, count), model)
        self._rows: dict[Message, Row] = {}

    def row(self, message: Message) -> Row:
        """Return what a message takes."""
        found = self._rows.get(message)
        if found is None:
            found = self._rows[message] = super().row(message)
        return found

    def cost(self, record: Record) -> int:
        """Return the tokens of an entry."""
        return sum(self.row(message).amount.high for message in record.messages)

    def costs(self, records: Iterable[Record]) -> int:
        """Return the tokens of entries."""
        return sum(map(self.cost, records))

    def size(self, text: str) -> int:
        """Return the tokens of a text."""
        return self.meter.of(text).high

    def sum(self, transcript: Transcript) -> Sum:
        """Return what a whole conversation takes."""
        sheet = Sheet(self, linear=transcript.format.LINEAR, rows=False)
        for entry in transcript.head:
            sheet.add(entry)
        for record in transcript.records:
            for entry in record.entries:
                sheet.add(entry)
        return sheet.sum()
