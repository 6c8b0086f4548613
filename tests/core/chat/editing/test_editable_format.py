"""What each format must offer to editors."""

import pytest

from ctxkit.core.chat.editing.conversation_format import ConversationFormat
from ctxkit.core.chat.editing.editable_format import ApiRules, EditableFormat
from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.core.chat.reading.format_registry import get_format

MEMBERS = sorted(name for protocol in (ConversationFormat, EditableFormat) for name in vars(protocol) if not name.startswith("_"))


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_every_format_has_all_members(name) -> None:
    editor = get_format(name)
    assert [member for member in MEMBERS if not hasattr(editor, member)] == []
    assert name == editor.NAME
    assert isinstance(editor.RULES, ApiRules)


def test_the_rules_of_the_providers() -> None:
    assert get_format("anthropic").RULES.layout == "next"
    assert get_format("openai").RULES.layout == "near"
    assert get_format("responses").RULES.layout == "any"
    assert get_format("anthropic").RULES.roles_alternate
    assert not get_format("openai").RULES.roles_alternate
