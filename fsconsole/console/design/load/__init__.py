"""Planning load: what users shall do on the machine of a tree."""
