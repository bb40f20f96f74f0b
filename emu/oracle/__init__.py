"""The oracle: every work-item alone, one value at a time, in plain Python. It is the definition.

Read alu.py (what an instruction computes), then code.py (what it does to a work-item), then
oracle.py (the schedule, barriers, traps and the budget).
"""
