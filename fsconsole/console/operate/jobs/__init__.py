"""What operators watch and do on a real cluster: its jobs, its near-dedicated class, what was done."""
