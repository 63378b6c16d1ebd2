"""Calls that reach a shared bandit together, as from the event loop of a server."""

import asyncio


def carried_out(group, calls):
    """Have a queue carry out calls in one commit; each keeps its answer or its error."""

    async def work():
        group._expected, group._pause = len(calls), 60.0  # the thread that commits waits for all
        await asyncio.gather(*map(group.submit_async, calls), return_exceptions=True)

    asyncio.run(work())
    return calls


def submitted(bandit, calls):
    """Carry out calls on a bandit in one commit; each keeps its answer or its error."""
    return carried_out(bandit._group, list(calls))
