"""Fitting and measuring the models that predict moves."""
