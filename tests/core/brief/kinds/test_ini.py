import pytest

from ctxkit.core.brief.kinds import ini as kind
from tests.core.brief.kinds.test_table import document

UNIT = """\
[Unit]
Description=A thing
After=network.target

[Service]
ExecStart=/usr/bin/thing --port 80 \\
  --quiet
Restart=always
"""


def test_sections_and_settings_have_their_lines(trial) -> None:
    text = trial(kind).map(UNIT)
    assert "- 2 sections, 4 settings" in text
    assert "- Lines 1-3: .Unit: object with 2 keys" in text
    assert "- Lines 6-7: .Service.ExecStart: string" in text


def test_an_environment_is_one(trial) -> None:
    text = trial(kind).map("".join(f"NAME_{at}=value {at}\n" for at in range(30)))
    assert "- 30 settings" in text


@pytest.mark.parametrize(
    "text",
    [
        "[INFO] start=1\n[WARN] x=2\n[INFO] y=3\n" * 5,
        "[2026-01-01] a=b\n" * 9,
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a=1\n+a=2\n",
        "x = 1\ny = 2\nfor i in z:\n    print(i)\n" * 3,
        "a=1 b=2 c=3\n" * 3 + "plain words of text\n" * 9,
    ],
)
def test_logs_diffs_and_code_are_left_alone(trial, text: str) -> None:
    assert trial(kind).known(text) != "ini"


def test_names_are_known(trial) -> None:
    for name in (".env", "a/setup.cfg", "x.service", "log.properties", ".env.local", "php.ini"):
        assert trial(kind).known("A=1\nB=2\n", name) == "ini"
    assert trial(kind).known("free words\nand more of them\n", "notes.conf") != "ini"


def test_nothing_breaks_it(trial) -> None:
    for text in ("", "[", "=", "[a", "a", "[]\n=\n:", "\\\n" * 9, "[a]\n" * 90):
        trial(kind).check(text)


def test_records_of_a_log_are_no_settings() -> None:
    log = "".join(f'level=info msg="handled" id={at} dur={at}ms\n' for at in range(40))
    assert kind.sniff(document(log)) == 0.0
    assert kind.sniff(document("".join(f"name_{at}=value {at}\n" for at in range(40)))) == 0.75
