"""Every pattern that ctxkit uses on content takes time that grows as the content does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ctxkit.core.tokens.table_counter import PATTERNS
from tests.slow_patterns import Compiled, attacks, slow_patterns, unseen

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_no_pattern_that_is_used_on_content_takes_more_than_linear_time() -> None:
    argv = [
        sys.executable,
        "-m",
        "tests.slow_patterns",
        "--quick",
        "core/brief",
        "core/chat",
        "core/count",
        "core/languages",
        "core/summary",
        "core/usage",
        "core/lint",
        "edge",
        "engines",
    ]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, timeout=1200)
    assert done.stdout.splitlines() == []
    assert int(done.stderr.split()[0]) > 500


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("pattern", [r"^\s*x", r"(a+)+$", r"\w+:", r"<!--.*?-->", r"(.*?) +\[", r"\n[*. ]*\*[*. ]*x"])
def test_a_pattern_of_each_slow_shape_is_found(pattern: str) -> None:
    one = Compiled(re.compile(pattern, re.MULTILINE | re.DOTALL), "here.py", 1, anchored=False)
    assert len(list(slow_patterns([one], 1_024))) == 1


@pytest.mark.parametrize("pattern", [r"^[^\S\n]*x", r"a+$", r"(?<!\w)\w+:", r"[^:]*:", r"x\s*y", r"(?:a|b)*c"])
def test_linear_patterns_are_none(pattern: str) -> None:
    one = Compiled(
        re.compile(pattern, re.MULTILINE), "here.py", 1, searches=pattern not in (r"[^:]*:", r"(?:a|b)*c", "a+$")
    )
    assert list(slow_patterns([one], 1_024)) == []


def test_strings_are_made_from_what_a_pattern_repeats() -> None:
    assert "'x' + 'ab' * n + '\\x00'" in [label for label, _ in attacks(re.compile(r"x(?:ab)+y"), 100)]


@pytest.mark.parametrize("ranks", PATTERNS)
def test_the_patterns_of_vocabularies_take_linear_time(ranks: str) -> None:
    assert list(slow_patterns([Compiled(re.compile(PATTERNS[ranks]), "words.py", 1, searches=True)], 2_048)) == []


@pytest.mark.slow
def test_patterns_made_inside_functions_are_known() -> None:
    known = {
        "ctxkit/core/hosts/trials.py:_clean",
        "ctxkit/core/languages/language_names.py:_compile_signs",
        "ctxkit/core/redaction/find_secrets.py:is_placeholder",
        "ctxkit/core/redaction/find_secrets.py:is_secret_value",
        "ctxkit/core/redaction/masking.py:compile_pattern",
        "ctxkit/core/tokens/table_counter.py:make_splitter",
        "ctxkit/core/tokens/token_count.py:bound_by_words",
        "ctxkit/edge/trusted_dirs.py:_find_element_range: a literal",
        "ctxkit/edge/trusted_dirs.py:_find_lists",
        "ctxkit/commands/cache/get.py:_compile_pattern",
        "ctxkit/core/brief/code/definition_finder.py:_compile_patterns",
        "ctxkit/core/brief/custom_kinds.py:__init__",
        "ctxkit/core/brief/custom_kinds.py:_check_pattern",
        "ctxkit/core/brief/kinds/pytest.py:_is_quoted",
        "ctxkit/core/brief/repository/file_scan.py:_compile_pattern",
        "ctxkit/core/brief/texts/markup.py:_compile_closing_tag",
        "ctxkit/core/brief/texts/markup.py:count_elements",
        "ctxkit/core/text/escapes.py:has_redraws",
        "ctxkit/core/text/shell_script.py:_skip_here_documents",
        "ctxkit/core/text/shell_script.py:shorten_documents",
        "ctxkit/core/summary/user_words.py:_make_tag_pattern",
        "ctxkit/core/brief/kinds/specs.py:sniff",
        "ctxkit/core/brief/runs/failures.py:take_until",
        "ctxkit/core/brief/runs/runner.py:_match_scores",
        "ctxkit/core/brief/runs/runner.py:_split_names",
        "ctxkit/core/brief/runs/runner.py:outline",
        "ctxkit/core/brief/runs/runner_log.py:compile_rows",
        "ctxkit/core/languages/detection.py:_compile_common",
        "ctxkit/core/languages/detection.py:_compile_strong",
        "ctxkit/core/lazy_pattern.py:__getattr__",
        "ctxkit/core/lint/document/globs.py:_compile_pattern",
        "ctxkit/core/lint/document/globs.py:_compile_piece",
        "ctxkit/core/models/model_aliases.py:_compile",
        "ctxkit/core/redaction/masking.py:is_key_like",
        "ctxkit/core/redaction/masking.py:mask_script",
        "ctxkit/core/redaction/masking.py:mask_secrets",
        "ctxkit/edge/lint/output.py:_relocate_places",
        "ctxkit/core/text/escapes.py:_is_inline_blank",
        "ctxkit/core/text/escapes.py:escape_controls",
        "ctxkit/core/text/escapes.py:escape_line",
        "ctxkit/engines/tokens/text_counter.py:_compile_finder",
        "ctxkit/engines/tokens/tiktoken.py:split_parts",
        "ctxkit/core/text/escapes.py:escape_invisible",
        "ctxkit/core/redaction/find_secrets.py:_compile",
        "ctxkit/core/redaction/masking.py:mask_addresses",
        "ctxkit/core/text/retrieval_hint.py:indent_hints",
        "ctxkit/engines/own_state.py:_match_name",
        "ctxkit/engines/own_state.py:_visit",
    }
    assert set(unseen()) <= known
