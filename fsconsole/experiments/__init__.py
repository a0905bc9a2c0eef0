"""The papers' measurements as code: each gives its figures and says which of its claims hold."""
