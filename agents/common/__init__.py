"""What every room stands on: bounds, processes, a stopwatch, terminals, versions.

In: nothing of the game. Out: small tools. Each file stands alone; start with the one you need.
"""
