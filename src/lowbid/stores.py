"""List, rename and delete shared bandits in a store; and the interface of a store of your own."""

from lowbid.shared import delete_bandit as delete
from lowbid.shared import list_bandits as list
from lowbid.shared import rename_bandit as rename
from lowbid.shared.stores import Head, Row, Store, StoredBandit, Transaction

__all__ = ["Head", "Row", "Store", "StoredBandit", "Transaction", "delete", "list", "rename"]
