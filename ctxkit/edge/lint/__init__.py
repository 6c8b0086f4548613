"""Print findings, one module per format."""
