"""The game itself: data, rules and the batched machine. Nothing here knows a framework."""
