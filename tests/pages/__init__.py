"""The pages of docs/rules: one for each rule set, made from its data."""
