"""Define the lint rules, one module per family; each exports RULES and findings()."""
