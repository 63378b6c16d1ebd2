"""The windowed Batch Ensemble from its definition: what is left of a whole history."""


def dealt_and_forgotten(losses, steps, batches, window, now):
    """Algorithm 1's split, of losses that came at the given steps.

    The k-th part of a window is over after k * (window // l) steps; then batch k - 1 mod l is
    emptied.
    """
    part = window // batches
    kept = [[] for _ in range(batches)]
    for n, (loss, step) in enumerate(zip(losses, steps, strict=True)):
        batch = n % batches
        emptied = [k * part for k in range(1, now) if (k - 1) % batches == batch]
        if not any(step <= end < now for end in emptied):
            kept[batch].append(loss)
    return kept
