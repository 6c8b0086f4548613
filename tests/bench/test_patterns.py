"""Every pattern that ctxkit uses on content takes time that grows as the content does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.patterns import Compiled, attacks, slow_patterns, unseen

ROOT = Path(__file__).parents[2]


def test_no_pattern_that_is_used_on_content_takes_more_than_linear_time():
    argv = [sys.executable, "-m", "bench.patterns", "--quick", "core/brief", "core/chat", "core/count", "core/languages", "core/context", "core/usage", "core/lint", "edge", "engines"]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, timeout=240)
    assert done.stdout.splitlines() == []
    assert int(done.stderr.split()[0]) > 500


@pytest.mark.parametrize("pattern", [r"^\s*x", r"(a+)+$", r"\w+:", r"<!--.*?-->", r"(.*?) +\[", r"\n[*. ]*\*[*. ]*x"])
def test_a_pattern_of_each_slow_shape_is_found(pattern):
    one = Compiled(re.compile(pattern, re.MULTILINE | re.DOTALL), "here.py", 1, anchored=False)
    assert len(list(slow_patterns([one], 2_048))) == 1


@pytest.mark.parametrize("pattern", [r"^[^\S\n]*x", r"a+$", r"(?<!\w)\w+:", r"[^:]*:", r"x\s*y", r"(?:a|b)*c"])
def test_linear_patterns_are_none(pattern):
    one = Compiled(re.compile(pattern, re.MULTILINE), "here.py", 1, searches=pattern not in (r"[^:]*:", r"(?:a|b)*c", "a+$"))
    assert list(slow_patterns([one], 1_024)) == []


def test_strings_are_made_from_what_a_pattern_repeats():
    assert "'x' + 'ab' * n + '\\x00'" in [label for label, _ in attacks(re.compile(r"x(?:ab)+y"), 100)]


def test_patterns_made_inside_functions_are_known():
    known = {
        "ctxkit/commands/cache/get.py:_pattern",
        "ctxkit/core/brief/code/definition_patterns.py:_compiled",
        "ctxkit/core/brief/code/components.py:_blocks",
        "ctxkit/core/brief/data/line_locks.py:_ask",
        "ctxkit/core/brief/focus.py:_holding",
        "ctxkit/core/brief/kinds/pytest.py:sniff",
        "ctxkit/core/brief/texts/markup.py:_whole",
        "ctxkit/core/brief/texts/markup.py:counts",
        "ctxkit/core/context/extract/shell.py:_after",
        "ctxkit/core/context/merge.py:_apart",
        "ctxkit/core/text/escapes.py:_is_blank",
        "ctxkit/core/text/escapes.py:escape_controls",
        "ctxkit/core/text/escapes.py:escape_line",
        "ctxkit/core/languages/detection.py:_patterns",
        "ctxkit/core/lint/document/globs.py:_compiled",
        "ctxkit/core/lint/document/globs.py:_single",
        "ctxkit/core/redaction/masking.py:is_key_like",
        "ctxkit/core/redaction/masking.py:mask_script",
        "ctxkit/core/redaction/masking.py:mask_secrets",
        "ctxkit/core/languages/ambiguous_extensions.py:_signs",
        "ctxkit/core/redaction/redact.py:_search_given",
        "ctxkit/core/redaction/redact.py:_search_of",
        "ctxkit/core/redaction/secret_patterns.py:_find_given",
        "ctxkit/core/redaction/secret_patterns.py:generated_length",
        "ctxkit/core/redaction/secret_patterns.py:is_real",
        "ctxkit/core/redaction/secret_patterns.py:text_pattern",
        "ctxkit/core/models/model_aliases.py:_compiled",
        "ctxkit/edge/user_file.py:_around: a literal",
        "ctxkit/edge/user_file.py:_lists",
        "ctxkit/engines/tokens/added_tokens.py:_found",
        "ctxkit/engines/tokens/tiktoken.py:parts",
    }
    assert set(unseen()) <= known
