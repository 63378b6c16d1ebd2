"""Figures that `lowbid validate` compares with, from a program that shares no code with it."""
