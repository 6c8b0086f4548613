"""The size of a content, and the import that it must not cost."""

import subprocess
import sys

from ctxkit.core.count.amount import exact_amount
from ctxkit.core.count.content_tokens import ContentTokens


def test_text_has_no_format_and_no_messages() -> None:
    size = ContentTokens("notes.txt", exact_amount(3), "exact", 11, 1)
    assert (size.complete, size.format, size.messages, size.sum, size.doubt) == (True, "", 0, None, "")


def test_the_size_of_text_does_not_import_the_reader_of_conversations() -> None:
    script = "import sys, ctxkit.core.count.content_tokens as c; assert 'ctxkit.core.count.conversation_tokens' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
