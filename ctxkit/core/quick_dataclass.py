"""Define dataclasses at a tenth of the cost of the standard ones, which compile five or six functions for each class.

A map loads about 80 classes: with the module ``dataclasses``, which imports ``inspect``, they take a fifth of its
instructions. Here a class compiles only its ``__init__``, at its first value. What no class of the package needs is
left out: order, fields by keyword only, and the functions that list fields.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    from ctxkit.core.named_tuple import read_annotations

    _NOTHING = object()

    class _Field:
        """Hold what a class says of a field: its default value, the function that makes it, and who sets it."""

        def __init__(self, default, default_factory, init):
            self.default, self.make, self.init = default, default_factory, init

    def field(*, default=_NOTHING, default_factory=None, init=True):
        """Return the description of a field for the body of a class."""
        return _Field(default, default_factory, init)

    def dataclass(kind=None, /, *, frozen=False, slots=False, eq=True):
        """Return a class with the methods of a dataclass, or without a class the decorator that returns it."""
        if kind is None:
            return lambda kind: _define(kind, frozen, slots, eq)
        return _define(kind, frozen, slots, eq)

    def _define(kind, frozen, slots, eq):
        body = dict(vars(kind))
        own = {name: _describe(body.pop(name, _NOTHING)) for name in read_annotations(body)}
        bases = [vars(base).get("_dataclass_fields", {}) for base in kind.__mro__[:0:-1]]
        fields = {name: each for known in (*bases, own) for name, each in known.items()}
        names = {"_dataclass_fields": fields, "__match_args__": tuple(n for n, each in fields.items() if each.init)}
        body = {**_choose_methods(frozen, eq), **body, **names}
        if not slots:
            body |= {name: each.default for name, each in own.items() if each.default is not _NOTHING}
        else:
            body["__slots__"] = tuple(own)
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        new = type(kind)(kind.__name__, kind.__bases__, body)
        new.__qualname__ = kind.__qualname__
        return new

    def _choose_methods(frozen, eq):
        """Return the methods that a class has unless its body defines them."""
        methods = {**_METHODS, **(_COMPARISON if eq else {}), **(_FROZEN if frozen else {})}
        if eq:
            methods["__hash__"] = _hash if frozen else None
        return methods

    def _describe(value):
        return value if isinstance(value, _Field) else _Field(value, None, True)

    def _initialize(self, /, *values, **named):
        """Compile ``__init__`` for the class of the value, and call it."""
        kind = next(each for each in type(self).__mro__ if vars(each).get("__init__") is _initialize)
        kind.__init__ = _compile(kind)
        kind.__init__(self, *values, **named)

    def _compile(kind):
        """Return the function that sets the fields of a new value."""
        parameters, lines = ["self"], []
        setting = "_set(self, {0!r}, {1})" if "__setattr__" in vars(kind) else "self.{0} = {1}"
        scope = {"_set": object.__setattr__, "_NOTHING": _NOTHING}
        for name, each in kind._dataclass_fields.items():
            scope |= {f"_make_{name}": each.make, f"_default_{name}": each.default}
            has_default = each.make or each.default is not _NOTHING
            value = name if each.init else f"_default_{name}"
            if each.make:
                value = f"_make_{name}() if {value} is _NOTHING else {value}"
            if each.init:
                parameters.append(f"{name}=_default_{name}" if has_default else name)
            if each.init or has_default:
                lines.append(f"    {setting.format(name, value)}")
        lines += ["    self.__post_init__()"] if hasattr(kind, "__post_init__") else []
        exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines, "    return None"]), scope)
        created = scope["__init__"]
        created.__qualname__ = f"{kind.__qualname__}.__init__"
        return created

    def _list_values(self):
        return tuple([getattr(self, name) for name in self._dataclass_fields])

    def _represent(self):
        """Return the value as the call that creates it."""
        pairs = zip(self._dataclass_fields, _list_values(self), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def _equals(self, other):
        """Return whether another value of the same class has the same fields."""
        return _list_values(self) == _list_values(other) if other.__class__ is self.__class__ else NotImplemented

    def _hash(self):
        """Return the hash of all fields."""
        return hash(_list_values(self))

    def _refuse(_self, name, *_value):
        """Raise AttributeError, since the fields of the value do not change."""
        raise AttributeError(f"cannot change field {name!r}")

    def _restore(self, state):
        """Set the fields of a copy."""
        for name, value in zip(self._dataclass_fields, state, strict=True):
            object.__setattr__(self, name, value)

    _METHODS = {"__init__": _initialize, "__repr__": _represent}
    _COMPARISON = {"__eq__": _equals}
    _FROZEN = {"__setattr__": _refuse, "__delattr__": _refuse, "__getstate__": _list_values, "__setstate__": _restore}

    def replace(value, /, **changes):
        """Return a copy of a value with other fields."""
        kept = ((name, each) for name, each in value._dataclass_fields.items() if each.init and name not in changes)
        return type(value)(**{name: getattr(value, name) for name, _ in kept}, **changes)
