import os
from a import b


class A(B):
    """Doc."""

    @property
    def f(self, x: int = 1) -> str:
        return f"{x}"


async def g():
    pass
