"""One turn of an agent: the steps that keep its request within the window, and the request itself."""
