"""Built-in players: they see observations only."""
