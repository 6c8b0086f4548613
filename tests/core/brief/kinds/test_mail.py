from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import mail
from ctxkit.core.text import lines

ONE = """Return-Path: <a@example.com>
From: Ada <a@example.com>
To: b@example.com
Subject: =?utf-8?Q?Hello?=
 again
Date: Mon, 1 Jun 2026 10:00:00 +0000
Content-Type: multipart/mixed; boundary="xx"

--xx
Content-Type: text/plain

Hello.
--xx
Content-Type: application/pdf; name="a.pdf"
Content-Transfer-Encoding: base64

AAAA
--xx--
"""
TWO = """From a@example.com Mon Jun  1 10:00:00 2026
From: a@example.com
Subject: first
Date: Mon, 1 Jun 2026 10:00:00 +0000
To: list@example.com

From here on it is text.
From words at the start of a line nothing follows.

From b@example.com Mon Jun  1 11:00:00 2026
From: b@example.com
Subject: second

Yes.
"""


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2000, name)


def test_a_message_and_a_mailbox_are_known_with_and_without_a_name() -> None:
    for text in (ONE, TWO, ONE.replace("\n", "\r\n")):
        assert mail.sniff(document(text)) == mail.sniff(document(text, "a.eml")) == 0.97
    assert mail.sniff(document(TWO + "diff --git a/x b/x\n")) == 0.9  # the kind diff is surer of patches


def test_other_fields_are_no_mail() -> None:
    assert mail.sniff(document("HTTP/1.1 200 OK\nDate: x\nContent-Type: y\n\n")) == 0
    assert mail.sniff(document("subject: x\ndate: y\nto: z\n\n")) == 0
    assert mail.sniff(document("From: x\n\nSubject: y\n")) == 0
    assert mail.sniff(document(ONE, "a.py")) == 0


def test_a_message_has_its_parts() -> None:
    (top, section) = mail.outline(document(ONE))[0].sections
    assert top.entries[0].label == "1 message, 2 parts"
    (entry,) = section.entries
    assert entry.label.startswith("=?utf-8?Q?Hello?= again | Ada <a@example.com> | Mon, 1 Jun 2026")
    assert (entry.start, entry.end) == (1, 18)
    assert [(part.label, part.start, part.end) for part in entry.children] == [
        ("text/plain", 9, 12),
        ("application/pdf, a.pdf, base64", 13, 18),
    ]


def test_a_mailbox_has_its_messages() -> None:
    (top, section) = mail.outline(document(TWO))[0].sections
    assert top.entries[0].label == "2 messages"
    assert [(entry.label[:6], entry.start, entry.end) for entry in section.entries] == [("first ", 1, 8), ("second", 10, 14)]
    assert [child.label for child in section.entries[0].children] == ["From here on it is text."]
    assert section.entries[0].children[0].verbatim


def test_paragraphs_are_quoted_where_they_begin_and_quotations_are_not() -> None:
    text = TWO + "\n> Quoted by\n> b.\n\nAnd one more thing.\n"
    (_, section) = mail.outline(document(text))[0].sections
    assert [child.label for child in section.entries[1].children] == ["And one more thing."]


def test_a_postmark_without_fields_is_one_message() -> None:
    (top, section) = mail.outline(document("From a@example.com Mon Jun  1 10:00:00 2026\n\nHello there.\n"))[0].sections
    assert top.entries[0].label == "1 message"
    assert (section.entries[0].start, section.entries[0].end) == (1, 3)
