"""Memory, the swap device and the secondary data segment (SDS), and their allocation."""
