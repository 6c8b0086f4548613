import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import yaml as kind
from ctxkit.core.text import lines

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: app
          image: web:1
"""
WORKFLOW = """\
name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: |
          make test
          make lint
"""


def rows(number, odd=""):
    said = "".join(
        f"  - id: {at}\n    state: {('on', 'off')[at % 2]}\n    size: {at * 3 % 17}\n" for at in range(number)
    )
    return f"items:\n{said}{odd}"


@pytest.mark.slow
def test_records_are_a_schema_and_what_is_odd_has_its_lines(trial) -> None:
    text = trial(kind).map(rows(200, "  - id: 7\n    state: on\n    size: big\n    extra: 1\n") + "last: 1\n")
    assert "- Line 604: .items[].size is a string in 1 of 201; a number in 200 (here .items[200])" in text
    assert "- Line 605: .items[].extra is present in 1 of 201 (here .items[200])" in text
    assert "- Line 602: .items[].id is 7 a second time (here .items[200], first in [7])" in text
    assert '- .items[].state: string "on" ×101, "off" ×100' in text
    assert "- Line 606: .last: integer 1" in text


def test_documents_are_named_by_what_they_are(trial) -> None:
    text = trial(kind).map("---\n".join(DEPLOYMENT.replace("web", f"web{at}") for at in range(24)))
    assert "- 24 YAML documents, one after the other: the rows" in text
    assert "- Lines 1-10: [0]: Deployment web0" in text


PLAYBOOK = "- hosts: all\n  tasks:\n" + "".join(f"  - name: task {at}\n    module{at}:\n      path: /{at}\n" for at in range(30))


@pytest.mark.parametrize("text", [WORKFLOW, PLAYBOOK])
def test_settings_and_steps_are_left_to_the_generic_map(trial, text: str) -> None:
    assert [outline.kind for outline in trial(kind).outline(text, name="ci.yml")] == ["text"]


def test_broken_lines_are_said_and_quoted() -> None:
    data = (rows(80) + "\tz: 1\ntail: 1\n").encode()
    document = InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], len, 9_000, name="a.yaml")
    said = [entry.label for entry in kind.outline(document)[0].sections[0].entries]
    assert said[0].startswith("BROKEN, no YAML: found a tab character that violates indentation; nothing after this line")


@pytest.mark.parametrize("name", ["a.yaml", "x/b.yml"])
def test_a_name_is_enough(trial, name: str) -> None:
    assert trial(kind).known("a: 1\nb: text goes on here\n", name) == "yaml"


@pytest.mark.parametrize(
    "text",
    [
        "server: starting\nworker: ready\nworker: job 1 done\nserver: GET / 200\n" * 9,
        "Name:         web\nNamespace:    default\nLabels:       app=web\nContainers:\n  web:\n    Image:      nginx\n    Port:       80\n",
        "Package: tar\nVersion: 1.3\nDepends: libc6 (>= 2.17)\nDescription: GNU tar\n Tar is a program.\n .\n More of it.\n",
        "---\ntitle: x\ntags: [a]\n---\n\n# Heading\n\nSome text that is prose, and goes on here.\nMore of it: here.\n",
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nKeyError: 1\n',
        "Notes:\n  - one thing to do\n  - another thing\nQuestions:\n  - why is it so\n  - who knows\n" * 3,
        "body {\n  color: red;\n  margin: 0;\n}\na:hover {\n  color: blue;\n}\n" * 3,
        "class A:\n    x: int = 1\n    y: str = 2\ndef f(a: int) -> int:\n    return 1\n" * 3,
        "HTTP/1.1 200 OK\ncontent-type: text/html\nserver: nginx\ndate: Mon\n",
        "- buy milk\n- call: mom\n- do things\n- more\n",
        " Context:    default\n Debug Mode: false\n Plugins:\n  buildx: Docker Buildx\n    Version:  v0.11.2\n",
    ],
)
def test_what_only_looks_like_keys_is_left_alone(trial, text: str) -> None:
    assert trial(kind).known(text) != "yaml"


def test_whatever_is_called_yaml_never_fails(trial) -> None:
    for text in ("", "a", "{", "- " * 900, "a: [" * 90, "\0", "a:\n" * 50, "&a [*a]", "? x\n: y\n- z"):
        assert [outline.kind for outline in trial(kind).outline(text)] == ["text"]
