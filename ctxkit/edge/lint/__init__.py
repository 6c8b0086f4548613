"""How findings are shown, one form a file."""
