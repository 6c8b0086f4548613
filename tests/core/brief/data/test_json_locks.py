"""JSON lock files are read with the lines of each package."""

import json

from ctxkit.core.brief.data.json_locks import read_bun_lock, read_composer_lock, read_npm_lock, read_pipfile_lock

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


def test_the_old_form_of_npm_nests_dependencies() -> None:
    old = {"lockfileVersion": 1, "dependencies": {"a": {"version": "1", "dependencies": {"b": {"version": "2", "dev": True}}}}}
    assert rows(read_npm_lock(json.dumps(old))) == [("a", "1", False), ("b", "2", True)]
    assert read_npm_lock('{"lockfileVersion": 1}') is None


def test_bun_writes_json_with_trailing_commas() -> None:
    text = '{"workspaces": {"": {"dependencies": {"a": "^1",},},}, "packages": {"a": ["a@1.0.0", "",],},}'
    lock = read_bun_lock(text)
    assert (rows(lock), lock.direct) == ([("a", "1.0.0", False)], {"a"})


def test_composer_and_pipenv_tell_packages_of_development() -> None:
    composer = {"packages": [{"name": "v/a", "version": "1"}], "packages-dev": [{"name": "v/b", "version": "2"}]}
    assert rows(read_composer_lock(json.dumps(composer))) == [("v/a", "1", False), ("v/b", "2", True)]
    pipfile = {"default": {"a": {"version": "==1"}}, "develop": {"b": {"version": "==2"}}}
    assert rows(read_pipfile_lock(json.dumps(pipfile))) == [("a", "1", False), ("b", "2", True)]
