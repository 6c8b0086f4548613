"""JSON lock files are read with the lines of each package."""

import json

from ctxkit.core.brief.data.json_locks import read_npm_lock

NPM = {
    "lockfileVersion": 3,
    "packages": {
        "": {"dependencies": {"a": "^1"}, "devDependencies": {"b": "^2"}},
        "node_modules/a": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"},
        "node_modules/a/node_modules/@s/c": {"version": "3.0.0", "dev": True, "resolved": "git+ssh://example.com/c"},
    },
}


def rows(lock):
    return [(package.name, package.version, package.development) for package in lock.packages]


def test_npm_names_direct_and_nested_packages() -> None:
    lock = read_npm_lock(json.dumps(NPM, indent=1))
    assert rows(lock) == [("a", "1.0.0", False), ("@s/c", "3.0.0", True)]
    assert lock.direct == {"a", "b"}
    assert [package.source for package in lock.packages] == ["", "git+ssh://example.com/c"]
    assert [(package.start, package.end) for package in lock.packages] == [(12, 15), (16, 20)]
