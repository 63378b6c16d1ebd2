"""Speed and memory of lowbid, beside its peers and beside C: ``python -m benchmarks``."""
