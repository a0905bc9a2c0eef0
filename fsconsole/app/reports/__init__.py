"""Reports: findings in sentences, figures, tables, settings and commands, as PDF or HTML."""
