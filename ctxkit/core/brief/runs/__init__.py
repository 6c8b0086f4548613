"""What test runners print, read into failures and laid out."""
