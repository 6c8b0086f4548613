"""Format numbers and sizes for people."""


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 line``, ``2,000 lines``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def format_size(size: int) -> str:
    """Return a number of bytes for people: ``847 bytes``, ``24 KB``, ``1.5 MB`` (powers of 1024)."""
    if size < 1024:
        return pluralize(size, "byte")
    value = float(size)
    for unit in ("KB", "MB", "GB"):
        value /= 1024
        if value < 999.5 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
