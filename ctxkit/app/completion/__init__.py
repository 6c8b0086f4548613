"""Values for the completion of a shell."""
