"""Looking at what surrounds ctxkit on a machine: one file a topic, each with a function that yields checks."""
