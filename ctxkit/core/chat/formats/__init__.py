"""The formats of conversations; each module recognizes and reads one format."""
