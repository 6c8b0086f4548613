"""Requirements are read with the lines of each package."""

from ctxkit.core.brief.data.python_locks import read_requirements

REQUIREMENTS = """\
# by uv
attrs==25.1.0 \\
    --hash=sha256:aa
    # via jsonschema
click[extra]==8.2 ; python_version > "3"
    # via -r in.txt
tool @ git+https://example.com/tool
"""


def rows(lock):
    return [(package.name, package.version, package.start, package.end) for package in lock.packages]


def test_a_requirement_goes_on_over_its_indented_lines() -> None:
    lock = read_requirements(REQUIREMENTS)
    assert rows(lock) == [("attrs", "25.1.0", 2, 4), ("click", "8.2", 5, 6), ("tool", "", 7, 7)]
    assert lock.packages[2].source == "git+https://example.com/tool"
    assert lock.direct == {"click"}
