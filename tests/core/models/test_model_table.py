"""Each line of the table of models is well formed, and can be found by its name."""

import re
from datetime import date

from ctxkit.core.models.lookup import find_model
from ctxkit.core.models.model_table import DATES, TABLE
from ctxkit.core.tokens.vocabulary import VOCABULARIES

LINES = TABLE.strip().split("\n")
ROWS = [line.split(" ") for line in LINES if ">" not in line]
SOURCE = re.compile(r"https://\S+|seed|hosts:\d+/\d+|(?:models\.dev|litellm)(?:\+litellm)?:[\w-]+")


def test_each_line_has_a_key_a_name_two_sizes_a_tokenizer_and_a_source() -> None:
    assert len(ROWS) > 200
    for row in ROWS:
        key, name, window, output, tokenizer, source = row
        assert key.lstrip("=")
        assert name == name.lower()
        assert int(window) > 0
        assert int(output) >= 0
        assert tokenizer in VOCABULARIES
        assert SOURCE.fullmatch(source), row


def test_a_key_stands_once() -> None:
    keys = [line.split(" ")[0] for line in LINES]
    assert sorted(keys) == sorted(set(keys))


def test_each_name_is_found_with_the_figures_of_its_line() -> None:
    for _, name, window, output, tokenizer, source in ROWS:
        model = find_model(name)
        assert model is not None, name
        assert (model.window, model.max_output, model.tokenizer, model.source) == (int(window), int(output), tokenizer, source)


def test_dates_are_days() -> None:
    assert set(DATES) == {"models.dev", "litellm"}
    assert all(date.fromisoformat(day) for day in DATES.values())
