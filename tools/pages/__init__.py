"""Man pages and completion scripts, written from the commands themselves and read by no command."""
