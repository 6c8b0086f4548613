"""Define named tuples at a seventh of the cost of those of ``typing``, which compile a function for each class.

The modules that a common call loads use these: two dozen classes of ``typing`` take a tenth of the instructions of a
gate under a session (bench/instructions.py).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    def _list_values(kind, values, named):
        """Return the values of all fields of a class; raise TypeError if one is missing, unknown or given twice."""
        missing = kind._fields[len(values) :]
        if len(values) > len(kind._fields) or not named.keys() <= set(missing):
            raise TypeError(f"{kind.__name__} takes each of {', '.join(kind._fields)} once")
        given = {**kind._field_defaults, **named}
        try:
            return (*values, *[given[name] for name in missing])
        except KeyError as error:
            raise TypeError(f"{kind.__name__} needs {error.args[0]}") from None

    def _create(cls, *values, **named):
        """Return a new value of a class."""
        if named or len(values) != len(cls._fields):
            values = _list_values(cls, values, named)
        return tuple.__new__(cls, values)

    def _make(cls, values):
        """Return a new value from an iterable of all fields."""
        value = tuple.__new__(cls, values)
        if len(value) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(value)}")
        return value

    def _replace(self, /, **named):
        """Return the value with some fields replaced."""
        value = self._make(map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"Got unexpected field names: {list(named)!r}")
        return value

    def _asdict(self):
        """Return the fields by their names."""
        return dict(zip(self._fields, self, strict=True))

    def _represent(self):
        """Return the value as the call that creates it."""
        pairs = zip(self._fields, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def _pickle(self):
        """Return the arguments that create the value again."""
        return tuple(self)

    _METHODS = {
        "__slots__": (),
        "__new__": _create,
        "__repr__": _represent,
        "__getnewargs__": _pickle,
        "_make": classmethod(_make),
        "_replace": _replace,
        "_asdict": _asdict,
    }

    def read_annotations(body):
        """Return the annotations in the body of a class; since Python 3.14, a function of the body returns them.

        The body has that function under one of two names, as annotationlib.get_annotate_from_class_namespace says.
        """
        annotate = body.get("__annotate_func__") or body.get("__annotate__")
        return annotate(_VALUES) if annotate else body.get("__annotations__", {})

    _VALUES = 1
    """annotationlib.Format.VALUE: the annotations as values."""

    class _FieldReader(type):
        """Turns the body of a class into a subclass of tuple with a field for each annotation."""

        def __new__(meta, name, _bases, body):
            fields = tuple(read_annotations(body))
            defaults = {field: body[field] for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name} has a field without a default after one with a default")
            getters = {field: _tuplegetter(index, "") for index, field in enumerate(fields)}
            names = {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            return type(name, (tuple,), {**_METHODS, **body, **names, **getters})

    NamedTuple = type.__new__(_FieldReader, "NamedTuple", (), {})
