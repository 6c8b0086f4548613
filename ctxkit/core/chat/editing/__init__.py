"""What a format must be able to do, and edits of its text that keep every other byte."""
