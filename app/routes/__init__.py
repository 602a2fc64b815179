"""Thin handlers: parse, call one function, render."""
