"""What ``ctxkit serve`` answers: endpoints, callers and statuses, without a socket."""
