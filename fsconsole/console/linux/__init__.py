"""A share tree on this machine's control groups in the console: opened, armed, applied, released"""
