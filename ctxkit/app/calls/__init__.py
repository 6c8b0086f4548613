"""Answer the calls of a model, with the engines that the settings select."""
