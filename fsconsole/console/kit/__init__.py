"""What all workspaces are built of: tables, tasks, forms, lanes."""
