"""The gate for results of tools, and under a session of a shared store."""
