"""The league: every policy that knows nothing of the losses, on many settings."""
