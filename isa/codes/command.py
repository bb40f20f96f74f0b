"""Error codes of the command, of machines and of policies: SIM5xx and SIM6xx."""

# One code, one line: the columns are what a reader checks.
# ruff: noqa: E501

from __future__ import annotations

from .entry import Entry

# fmt: off
ENTRIES = tuple(Entry(*row) for row in (
    # --- the command
    ("SIM500", "Unknown name", "No program, file, size, engine, instruction or error code has this name.", "`simtlab programs` lists the programs, `simtlab explain` instructions and error codes, `simtlab COMMAND --help` the rest."),
    ("SIM501", "Unknown scheme, pass or assembler option", "No divergence scheme, assembler pass or `markers` mode has this name, or another option of the assembler has an invalid value.", "Give a value that the message names."),
    ("SIM502", "Unknown knob of a scheme", "--set scheme.KNOB=VALUE sets a knob of the chosen scheme, and the scheme has no knob of this name.", "Choose one of the knobs that the message lists."),
    ("SIM503", "Invalid value of a knob", "Each knob takes only a few values.", "Choose one of those that the message lists."),
    ("SIM504", "Unknown kernel", "The program has no kernel of this name.", "Choose one of the kernels that the message lists."),
    ("SIM505", "Invalid scheme file", "A file with your own divergence scheme has one subclass of simtlab.emu.schemes.Scheme, with the methods branch, exit, parked and depth.", "Correct the line that the message names."),
    ("SIM510", "A file cannot be read", "The file does not exist, is a folder, or may not be read.", "Check the name and the permissions."),
    ("SIM511", "A file cannot be written", "The folder does not exist, the file may not be written, or the disk is full.", "Name another file or folder."),
    ("SIM512", "A file would be overwritten", "Without -o, `asm` replaces an older object file but no other file.", "Name the object file with -o."),
    ("SIM513", "Out of memory", "An array or an intermediate result did not fit.", "Use a smaller size."),
    ("SIM514", "Invalid command line", "A command or an option does not exist, or its value is missing.", "`simtlab --help` lists the commands, `simtlab COMMAND --help` the options of one."),
    ("SIM515", "Invalid value of an option", "The option does not take this value.", "Give a value that the message names."),
    ("SIM516", "A source where an object file is needed", "The command reads object files, which `simtlab asm` writes, and was given a source.", "Assemble the source first: simtlab asm F.sasm."),
    ("SIM517", "Options that exclude each other", "An option would have no effect together with another option or with this file or program. An option without effect is an error.", "Leave one of them out."),
    ("SIM518", "A file has several kernels", "simtlab cannot know which of them to run.", "Choose one with --kernel."),
    ("SIM519", "A program has no picture", "Only programs whose result is an image or a table can be drawn.", "Choose one of the programs that the message lists, or leave out --picture."),
    ("SIM520", "An optional package is missing", "Pictures are drawn by matplotlib, DataFrames are of pandas, several workers need loky, clusters dask.distributed, Parquet files pyarrow, the debugger's panes Textual, and the language server pygls. A plain installation includes none of them.", "Run the command that the message gives, as pip install 'simtlab[plot]'."),
    ("SIM521", "SIMTLAB_CACHE cannot be used", "It is a relative path, so it would name another folder whenever the working folder changes.", "Give an absolute path, or /dev/null for no cache."),
    ("SIM522", "SIMTLAB_LOOPS is invalid", "It says how native code runs sparse loops: `alone`, `together`, `measured` (native code finds what is faster while it runs), or a number of lanes from 1 to 64 from which on they run together.", "Correct it or unset it: simtlab then decides by a measurement of the CPU."),
    ("SIM540", "Invalid exercise", "The folder of an exercise lacks a file, its exercise.toml has an unknown key or an invalid value, or its inputs.py fails.", "Correct what the message names; `simtlab explain exercises` describes each file of the folder."),
    # --- sweeps and the store of results
    ("SIM550", "Store of results cannot be used", "The file is not a store, it is damaged, or its tables are of another version of simtlab; or another process holds it.", "Name another file with --store, or in SIMTLAB_STORE."),
    ("SIM551", "Invalid sweep", "A sweep has an unknown key, name, field or value, or a value that none of its runs can have; or one of its own files is missing, fails, or has changed meanwhile.", "Correct what the message names, in the line that it shows; `simtlab explain sweeps` describes the file."),
    ("SIM552", "Cluster cannot be used", "No scheduler answers at the address, it went away, or its workers have another version of simtlab.", "Start the scheduler and its workers, with the same simtlab on all of them, and give the same command again: finished runs are kept."),
    ("SIM553", "Workers died of a run", "Two workers, one after the other, ended while they simulated this run: killed by the system for lack of memory, or by a fault in native code.", "Simulate it alone with `simtlab time`, with --checked if an engine file is your own."),
    # --- the debugger
    ("SIM530", "A value cannot be changed", "The debugger changes a value by executing the run again under its divergence scheme. That is not possible in a simulation, after the end of a run, with a scheme that is not a file, or at an instruction that only some warps have executed.", "Do what the message suggests: another scheme, a step back, or `tick` to the end of the step."),
    ("SIM531", "Invalid command of the debugger", "The command does not exist, its arguments are wrong, or it has no place to go to in that direction.", "`help` lists the commands, `help COMMAND` explains one."),
    ("SIM532", "Invalid expression in the debugger", "The expression has a mistake at the column that the message names, or names a register, lane, array or element that does not exist now.", "`memory` lists the arrays, `registers` the registers, `simtlab explain debugging` the language."),
    ("SIM533", "An expectation failed", "The expression of an `expect` in a script of the debugger was not true.", "The message shows the value and the time; look there with `simtlab debug`."),
    ("SIM534", "A breakpoint has no place", "The command names an instruction, label, work-item or breakpoint that does not exist.", "`list` shows the source, `breaks` the breakpoints."),
    ("SIM535", "A recording is full", "A debugged run ends where its recording is full; 100,000 issues are recorded by default.", "Choose a smaller input, or more with --record-issues N."),
    # --- simulation
    ("SIM601", "Invalid machine", "A preset, a machine file or --set has an unknown key, a value of the wrong kind, or a geometry that cannot be built.", "Correct the key that the message names; `simtlab machines NAME` prints all keys with their units."),
    ("SIM602", "Invalid policy", "No policy has this name, the policy has no such setting, the setting does not take this value, or the machine cannot run the policy.", "`simtlab policies` lists the policies, `simtlab policies NAME` the settings, values and machines of one."),
    ("SIM603", "Invalid energy parameters", "Energy and area are computed from a file of parameters; this file does not exist or lacks some.", "Compare the file with timing/results/energy/65nm.toml."),
    ("SIM610", "Files of an engine do not fit together", "Two of the engine files that the machine and the policy name define the same name, or none defines a name that is needed; or your own file has code that an engine cannot run: a hook that ends without returning a number, a list, a print, a function without @device.", "Correct the file and line that the message names; `simtlab explain timing` describes the hooks and what engine code may contain."),
    ("SIM611", "A kernel does not fit the machine", "A workgroup stays on one WPU and needs a context for each work-item, or the private memory of its work-items does not fit on chip.", "Use smaller workgroups, or --set warps=N."),
))
# fmt: on
