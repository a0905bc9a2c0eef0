"""The papers' measurements as code: each returns its figures and the verdicts on its claims."""
