"""Connect to models that write summaries, one module per kind of connection."""
