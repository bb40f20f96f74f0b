"""Loops in generated code: tests hoisted out of them, lanes in step or one by one."""
