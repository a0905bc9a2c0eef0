"""Near-dedicated nights: times as people type and read them, and the effects of another order."""
