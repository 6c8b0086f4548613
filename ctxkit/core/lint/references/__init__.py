"""Find paths and commands that instructions mention."""
