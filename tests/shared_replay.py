"""The log of a shared bandit, replayed into one plain `Bandit` by its public calls."""

import lowbid


def replayed(shared, **settings):
    """The plain bandit, after it has made every choice of the log itself."""
    bandit, decisions = None, {}
    for entry in shared.log():
        fields = entry.fields
        if entry.event == "created":
            bandit = lowbid.Bandit(fields["settings"]["arms"], **settings)
        elif entry.event == "decided":
            for arm, identity in zip(fields["arms"], fields["ids"], strict=True):
                decisions[identity] = bandit.decide()
                assert decisions[identity].arm == arm, entry
        elif entry.event == "reported":
            for identity, arm, value in fields["outcomes"]:
                what = arm if identity is None else decisions[identity]
                assert bandit.update(what, **{fields["kind"]: value}) in (None, "removed")
        elif entry.event == "forgotten":
            for identity in fields["ids"]:
                bandit.forget(decisions[identity])
        elif entry.event == "arm changed":
            calls = {
                "added": bandit.add_arm,
                "paused": bandit.pause_arm,
                "resumed": bandit.resume_arm,
                "removed": bandit.remove_arm,
            }
            calls[fields["change"]](fields["arm"])
    return bandit
