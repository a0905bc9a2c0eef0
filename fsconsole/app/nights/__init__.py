"""Near-dedicated nights: times as a person types and reads them, and what another order would do."""
