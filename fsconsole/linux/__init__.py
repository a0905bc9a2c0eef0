"""Linux: a share tree as control groups with CPU weights, what the kernel charges them, the way back"""
