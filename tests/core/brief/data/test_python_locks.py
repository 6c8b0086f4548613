"""Requirements and conda's lock files are read with the lines of each package."""

from ctxkit.core.brief.data.python_locks import read_conda_lock, read_requirements

REQUIREMENTS = """\
# by uv
attrs==25.1.0 \\
    --hash=sha256:aa
    # via jsonschema
click[extra]==8.2 ; python_version > "3"
    # via -r in.txt
tool @ git+https://example.com/tool
"""
PIXI = """\
version: 6
environments:
  default: {}
packages:
- conda: https://conda.example/linux-64/zlib-1.3.1-h4ab_2.conda
  sha256: aa
- conda: https://conda.example/noarch/attrs-25.1.0-pyh_0.conda
"""
CONDA = """\
version: 1
package:
- name: zlib
  version: 1.3.1
  category: main
- name: pytest
  version: '8.3'
  category: dev
"""


def rows(lock):
    return [(package.name, package.version, package.start, package.end) for package in lock.packages]


def test_a_requirement_goes_on_over_its_indented_lines() -> None:
    lock = read_requirements(REQUIREMENTS)
    assert rows(lock) == [("attrs", "25.1.0", 2, 4), ("click", "8.2", 5, 6), ("tool", "", 7, 7)]
    assert lock.packages[2].source == "git+https://example.com/tool"
    assert lock.direct == {"click"}


def test_the_packages_of_pixi_are_named_by_their_archives() -> None:
    lock = read_conda_lock(PIXI)
    assert lock.tool == "pixi"
    assert rows(lock) == [("zlib", "1.3.1", 5, 6), ("attrs", "25.1.0", 7, 7)]
    assert lock.sections == [("version", 1, 1), ("environments", 2, 3), ("packages", 4, 8)]


def test_conda_lock_tells_packages_of_development() -> None:
    lock = read_conda_lock(CONDA)
    assert lock.tool == "conda-lock"
    assert [(package.name, package.version, package.development) for package in lock.packages] == [
        ("zlib", "1.3.1", False),
        ("pytest", "8.3", True),
    ]
