"""The checks of what the settings name, and the removal of all that ctxkit keeps."""
