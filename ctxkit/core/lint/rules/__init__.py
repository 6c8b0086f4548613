"""The rules of the linter, one family a file: each exports RULES and findings()."""
