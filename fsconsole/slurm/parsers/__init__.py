"""What Slurm's tools print, as plain data; columns that other versions add or leave out do not matter."""
