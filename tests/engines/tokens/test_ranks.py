import base64
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.ranks import HASHES, pack_table
from ctxkit.engines.tokens.ranks import read_ranks, unpack_table
from tests.example_counts import count_examples


@pytest.mark.parametrize("name", ["r50k", "p50k"])
def test_tables_are_openai_s_to_the_byte(name: str) -> None:
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in read_ranks(name).items())
    assert hashlib.sha256(b"".join(lines)).hexdigest() == HASHES[name]


@pytest.mark.slow
@settings(max_examples=count_examples(15), deadline=None)
@given(st.lists(st.binary(max_size=255), max_size=30))
def test_a_table_comes_out_of_a_file_as_it_went_in(table: list[bytes]) -> None:
    assert unpack_table(pack_table(table)) == table
