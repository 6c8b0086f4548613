"""What compilers, linters and build tools print, read into findings and laid out."""
