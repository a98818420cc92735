"""Recipes: the environment in other frameworks, one framework per file.

In: ``sjavs_env``. Out: an environment with the framework's interface. Start with the file of your
framework.
"""
