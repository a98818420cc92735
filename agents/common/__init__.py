"""What every room stands on: bounds of numbers, processes, a stopwatch, versions.

In: nothing of the game. Out: small tools. Each file stands alone; start with the one you need.
"""
