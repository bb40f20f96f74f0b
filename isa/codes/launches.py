"""Error codes of launches, traps, simulations and the command."""

# One code, one line: the columns are what a reader checks.
# ruff: noqa: E501

from __future__ import annotations

from .entry import Entry

# fmt: off
ENTRIES = tuple(Entry(*row) for row in (
    # --- launches and their arguments
    ("SIM301", "Invalid size", "The grid, the workgroup or the number of work-items is not made of one to three positive whole numbers.", "Give --grid 64, --grid 8,8 or --grid 4,4,2."),
    ("SIM302", "The warp width is out of range", "A warp has 1 to 64 lanes.", "Give --warp 32."),
    ("SIM303", "The grid or the workgroup is too large", "Identities of work-items have 32 bits, so that a launch has at most 2^32 - 1 of them, and a workgroup at most as many in each dimension.", "Launch fewer work-items and let each handle several elements."),
    ("SIM304", "A launch needs exactly one of --grid and --items", "--grid counts workgroups, --items work-items in total.", "Give --items 1024, or --grid 4 --block 256."),
    ("SIM305", "The number of arguments is wrong", "A kernel takes as many arguments as it declares.", "Compare with the signature in the message."),
    ("SIM306", "Arguments of two devices", "Arrays that live on different Device objects have unrelated addresses.", "Allocate them on one Device."),
    ("SIM307", "An argument does not fit its parameter", "A scalar is out of range or of another kind, or an array has another element type.", "Convert it: x.astype(numpy.float32), or another number."),
    ("SIM308", "A launch has no dimensions", "kernel(...) alone does not say how many work-items there are.", "kernel[groups, group_size](...), or kernel.launch(items=n)(...)."),
    ("SIM309", "An option cannot have this value", "Flags are True or False; the budget bounds the instructions of a work-item, the number of threads those of the host that native code runs on.", "Give what the message expects, or leave it out."),
    ("SIM310", "An array was freed", "A DeviceArray was used after free().", "Allocate it again."),
    ("SIM311", "Arrays of different shape or type", "copy_from needs the shape and element type of the array that it overwrites, which must not be read-only.", "Reshape or convert the source."),
    ("SIM312", "An array cannot be made or mapped", "An element type or a name cannot be what it is, the array does not fit in memory, or a NumPy array that is not C-contiguous was to be used in place.", "Give what the message expects; to_device copies."),
    ("SIM313", "Too many kernels are in memory", "Native code takes mappings of memory, of which a system gives a process a limited number.", "Let go of modules, launches and simulators that are not needed any more."),
    ("SIM320", "Arguments of the command do not match the kernel", "--arg and --out name parameters of the kernel: each parameter has one --arg, and --out names an array.", "Compare with the signature in the message."),
    ("SIM321", "The value of --arg cannot be read", "Scalars are numbers (42, 0x2a, 1.5); arrays are @file.npy, zeros:f32:1024, ones:, arange:, rand:f32:1024:seed=1 or full:u32:64x64:7, in the parameter's element type.", "Write the value in one of these forms."),
    ("SIM322", "A file holds no array of numbers", "Arrays come from .npy files, one array a file, without Python objects.", "Write it with numpy.save."),
    ("SIM323", "An array is too large", "It would not fit into this machine's memory.", "Use fewer elements."),
    # --- what a kernel did
    ("SIM401", "Out-of-bounds access", "A work-item read or wrote bytes that belong to no buffer, or lie outside its segment. The message names the nearest buffer and the distance.", "Guard the access by the number of elements; check that the index is scaled by the element size."),
    ("SIM402", "Misaligned access", "An address is not a multiple of the size of the access.", "Scale the index by the element size, as: mad_u64 $d0, $d1, 4, $d0."),
    ("SIM403", "Use of a freed buffer", "The address lies in a buffer that was freed.", "Keep the buffer until its last launch is over."),
    ("SIM404", "Integer division by zero", "div and rem of integers trap where the divisor is zero; floats give infinities and NaN.", "Guard the division with a compare and a branch."),
    ("SIM405", "Divergent barrier", "Some work-items of a workgroup wait at a barrier that others never reach.", "Let every work-item of the workgroup execute the same barrier equally often; --exited-arrive counts those that returned as arrived."),
    ("SIM406", "Instruction budget exhausted", "A work-item executed more instructions than --budget allows; most often a loop does not end.", "Raise --budget if the kernel is meant to run this long."),
    ("SIM407", "SIMT deadlock", "Work-items of a warp wait for others of the same warp, which the divergence scheme never lets run. The same kernel ends where every work-item has its own turn.", "Let one work-item of a warp take the lock for all. --engine oracle schedules every work-item alone and shows that the kernel is right."),
    ("SIM408", "Livelock", "A loop has no way out under any schedule.", "Look at the condition of the loop that the message names."),
    ("SIM409", "Trap instruction", "The kernel executed `trap`, with the code that the message shows.", "It is the kernel's own way to say that something is wrong."),
    ("SIM410", "Store to a read-only buffer", "The array may not be written.", "Pass a writable array."),
    ("SIM411", "An access leaves the array that it names", "Group, private and readonly arrays lie one after the other in their segment, so that an index beyond the end of one reaches the next. That is memory that the kernel may use, but `run --check-arrays` takes it for a mistake.", "Look at the index that the message names; write the name of the array that is meant."),
    ("SIM412", "A launch that does not end, and may be waiting", "A work-item has spent its budget, or repeats a loop, in a kernel whose branches depend on what others store. Whether every work-item would finish if each had its turn was not decided, since the launch was too large to start over.", "Run fewer work-items on smaller arrays with --engine interp or --engine oracle, which decide. To wait, poll one address that stays the same: such kernels always run in the interpreter."),
    ("SIM420", "The result differs from the reference", "A program ran to its end, but an array is not what its reference computes.", "Run it with --engine oracle: if that differs too, the kernel is wrong."),
    ("SIM421", "A policy leaves other memory", "compare runs the same launches under several policies. Without races all of them leave the same memory; the message says which policy does not.", "Look for races: work-items that use the same bytes, one of which stores, without a barrier or an atomic between them. A kernel without any has found a wrong policy."),
    ("SIM430", "Interrupted", "Ctrl-C ended the launch. What was counted until then is shown.", "Use a smaller size."),
    ("SIM440", "A simulation cannot go on", "Every group of lanes waits for another one, or a re-convergence stack is full, although no work-item did anything wrong. The message says who waits for what.", "Simulate with --policy conv; if that finishes, the policy is wrong."),
    ("SIM441", "The books of a simulation do not add up", "Every issue slot, warp-cycle and lane has one owner. Under a policy, scheduler or memory system of your own some have none or two, so that what was counted is wrong.", "Look for lanes that were taken from a group and given to nobody, and for a group that was woken without what its wait is charged by; simtlab.testing.policy_contract finds a small kernel that shows it."),
    ("SIM442", "A hook breaks a rule", "A policy, scheduler or memory system of your own has answered what its hook must not, or left groups as they cannot be: a group picked before its data are there, lanes in two groups or at another instruction, a barrier that opens early, a date that is over. The message names the hook, its file and line, what it did and what was expected.", "Correct the hook. Plain engines and simulations with --checked look for this; simtlab.testing.policy_contract finds a small kernel that shows it."),
    ("SIM443", "A scheme loses lanes", "A divergence scheme of your own has raised an exception, put a lane in two paths or in none, or moved one to an instruction to which its own do not lead.", "The message names the event and its line; simtlab.testing.scheme_contract finds a small kernel that shows it."),
    # --- the command
    ("SIM500", "No such thing", "A name means no program, file, size, engine, instruction or error code.", "`simtlab programs` lists programs, `simtlab COMMAND --help` the rest."),
    ("SIM501", "An option or scheme that does not exist", "The message lists what there is.", "Choose one of them."),
    ("SIM502", "A scheme has no such knob", "--set scheme.KNOB=VALUE sets a knob of the chosen scheme.", "The message lists its knobs."),
    ("SIM503", "A knob cannot have this value", "Each knob takes a few values.", "The message lists them."),
    ("SIM504", "No such kernel", "The program has no kernel of this name.", "The message lists its kernels."),
    ("SIM505", "A scheme file cannot be", "A divergence scheme of your own is a file with one subclass of simtlab.emu.schemes.Scheme, which has branch, exit, parked and depth.", "The message names the file and the line."),
    ("SIM510", "A file cannot be read", "It does not exist, is a folder, or may not be read.", "Check the name and the permissions."),
    ("SIM511", "A file cannot be written", "Its folder does not exist, it may not be written, or the disk is full.", "Name another place."),
    ("SIM512", "A file would be overwritten", "`asm` replaces an older object file, but no other file that -o does not name.", "Name the object file with -o."),
    ("SIM513", "Out of memory", "An array or an intermediate result did not fit.", "Use a smaller size."),
    ("SIM514", "The command line cannot be read", "A command or an option does not exist, or lacks its value.", "`simtlab --help` and `simtlab COMMAND --help` list what there is."),
    ("SIM515", "The value of an option cannot be used", "The message says what the option takes.", "Give one of those."),
    ("SIM516", "A source where an object file is needed", "disasm reads what `simtlab asm` has written.", "Assemble the source first."),
    ("SIM517", "Options that do not go together", "An option has no effect on what was asked for, and an option without effect is an error.", "Leave one of them out."),
    ("SIM518", "A file has several kernels", "Which of them is to run cannot be guessed.", "Choose one with --kernel."),
    ("SIM519", "A program has no picture", "Only programs whose result is an image or a table can be drawn.", "The message lists those that can."),
    ("SIM520", "An optional package is missing", "Pictures of comparisons are drawn by matplotlib, which a plain installation does not have.", "pip install 'simtlab[plot]'."),
    ("SIM521", "SIMTLAB_CACHE cannot be used", "It is a relative path, which would mean another folder after a change of the working folder.", "Give an absolute path, or /dev/null for no cache."),
    # --- simulation
    ("SIM601", "A machine cannot be", "A preset, a machine file or --set has an unknown key, a value of the wrong kind, or a geometry that cannot be built.", "The message names the key; `simtlab machines NAME` prints all with their units."),
    ("SIM602", "A policy cannot be", "There is no policy of this name, it has no such setting, the setting takes no such value, or the machine cannot run it.", "`simtlab policies` lists them, `simtlab policies NAME` tells settings, values and machines."),
    ("SIM603", "No such energy parameters", "Energy and area are computed from a file of parameters; this one does not exist or lacks some.", "Compare it with timing/results/energy/65nm.toml."),
    ("SIM610", "Files of an engine do not fit together", "A machine and a policy name files of which two define the same name, or none a name that is needed; or a file of yours has code that no engine can have: a hook that ends without a number, a list, a print, a function without @device.", "The message names the file and the line; `simtlab explain timing` has the hooks, and what engine code may be."),
    ("SIM611", "A kernel does not fit the machine", "A workgroup stays on one WPU and needs a context for each work-item; private memory on chip has a size.", "Use smaller workgroups, or --set warps=N."),
))
# fmt: on
