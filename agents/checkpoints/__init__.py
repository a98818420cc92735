"""Agents on disk.

In: a folder. Out: its manifest, its tensors, the policy in it; or a sentence why not.
Start with ``manifest.py``; ``agent.py`` makes a policy of a checkpoint, ``tensors.py`` reads files.
Writing a run's checkpoints is the business of ``agents/runs``.
"""
