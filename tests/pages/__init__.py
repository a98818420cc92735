"""The pages of docs/rules: one page for each rule set, made from its data."""
