"""What the service answers, one file for each group of addresses."""
