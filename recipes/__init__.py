"""How to use the environment in other frameworks, a file for each.

In: ``sjavs_env``. Out: what the framework wants. Each file stands alone.
"""
