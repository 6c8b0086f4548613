"""Words of users that name work, and those that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.named_work import names_work


@pytest.mark.parametrize(
    "text",
    [
        "what happened",
        "so what's wrong?",
        "is it done?",
        "lets generate the best response",
        "Let's make it great",
        "?",
        "怎么回事",
        "完成了吗",
        "どうですか",
        "왜 안 돼?",
        "что случилось",
        "¿qué pasó?",
        "Developer: Reload Window",
    ],
)
def test_a_short_question_and_general_words_name_no_work(text: str) -> None:
    assert not names_work(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fix the parser",
        "Write tests",
        "what about src/a.py?",
        "can you fix it?",
        "Why does the parser fail on the second row of a table?",
        "把测试修好",
        "能不能帮我检查一下这个模块的所有测试用例是否都覆盖到了？",
        "请检查吗",
        "Developer guide: update it",
        "how to deploy the service to the new cluster",
    ],
)
def test_an_order_and_a_question_about_something_name_work(text: str) -> None:
    assert names_work(text)


@given(st.text(max_size=40))
def test_any_text_is_read(text: str) -> None:
    assert names_work(text) in (True, False)
