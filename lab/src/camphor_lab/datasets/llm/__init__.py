"""The paper's way to make data: a language model writes queries and solves them, and code checks (CAMPHOR, section 4).

A model writes queries for a device's state (`queries`), bad ones are sieved out (`judge`), the agents solve the others
on the real device, and what they did is judged and replayed on a fresh one (`judge`), where wanted with a second
opinion of the model. Every outcome is kept at once (`ledger`); `write` is the loop. Who solves is given
from outside, because the agents are no part of this floor.
"""
