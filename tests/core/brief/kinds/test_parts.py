import json

import pytest

from ctxkit.core.brief.kinds import parts as kind
from ctxkit.core.quick_dataclass import replace
from tests.core.brief.kinds.test_table import document, mapped

TABLE = "Package  Version\n-------- -------\n" + "".join(f"name{n:<4} 1.{n}\n" for n in range(40))
DATA = json.dumps({f"key{n}": [n] for n in range(30)}, indent=1) + "\n"
SERVICES = "".join(f"{('api-1', 'db-1')[n % 3 > 1]:<6}| row {n}\n" for n in range(300))
FILES = "".join(f"==> conf/{name}.yaml <==\n" + "".join(f"key{n}: {n}\n" for n in range(40)) for name in "abc")


@pytest.mark.parametrize("text", [TABLE + DATA, SERVICES, FILES])
def test_streams_are_mapped_by_their_parts(text) -> None:
    assert kind.sniff(document(text)) > 0.9
    assert mapped(text, 500).kind == "parts"


@pytest.mark.parametrize("text", ["", "a\nb\n", TABLE, DATA, "# Title\n\ntext\n\n## Part\n\n```\n$ ls\n```\n"])
def test_other_texts_are_no_streams(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0
    assert kind.outline(document(text)) is None


def test_each_part_has_its_kind() -> None:
    rows = "".join(f"name{n:<4} 1.{n}\n" for n in range(40, 400))
    text = mapped(TABLE + rows + DATA, 500).text
    assert "- Lines 1-402: part 1, table\n" in text
    assert '- Lines 403-494: part 2, json: "key0": [\n' in text
    assert "## part 2, json: Shape (a schema; paths, types, how often)\n" in text


def test_the_parts_of_a_file_with_a_name_are_not_looked_for() -> None:
    assert kind.sniff(replace(document(FILES), name="a.yaml")) == 0.0
