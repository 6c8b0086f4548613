"""What ``ctxkit proxy`` knows of requests to a model, without a socket and without a store."""
