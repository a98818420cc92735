"""Agents on disk.

In: a folder. Out: its manifest, its tensors and its policy, or an error that says what is wrong.
Start with ``manifest.py``; ``agent.py`` loads the policy of a checkpoint, ``tensors.py`` reads the
files. ``agents/runs`` writes the checkpoints of a run.
"""
