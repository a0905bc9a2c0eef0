"""Near-dedicated scheduling (Brady, Ciuffini, Hardy): one big job at a time, the others fill the rest."""
