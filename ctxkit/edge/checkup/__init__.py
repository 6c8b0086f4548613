"""Check the environment of ctxkit on a machine, one module per topic, each with a function that yields checks."""
