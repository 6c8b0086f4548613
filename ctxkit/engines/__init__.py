"""Third parties behind plain callables, one file each."""
