"""Speed and memory of lowbid, compared with its peers and with C: ``python -m benchmarks``."""
