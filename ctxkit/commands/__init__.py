"""One file a verb: options in, one call into core, bytes out."""
