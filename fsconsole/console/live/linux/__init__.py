"""What Observe shows of control groups beside the plots"""
