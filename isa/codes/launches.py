"""Error codes of launches, traps and simulations: SIM3xx and SIM4xx."""

# One code, one line: the columns are what a reader checks.
# ruff: noqa: E501

from __future__ import annotations

from .entry import Entry

# fmt: off
ENTRIES = tuple(Entry(*row) for row in (
    # --- launches and their arguments
    ("SIM301", "Invalid launch size", "The grid, the workgroup or the number of work-items must be one to three positive whole numbers.", "Give --grid 64, --grid 8,8 or --grid 4,4,2."),
    ("SIM302", "The warp width is out of range", "A warp has 1 to 64 lanes.", "Give --warp 32."),
    ("SIM303", "The grid or the workgroup is too large", "Work-items are numbered with 32 bits, so a launch has at most 2^32 - 1 of them, and a workgroup at most as many in each dimension.", "Launch fewer work-items and let each handle several elements."),
    ("SIM304", "A launch needs exactly one of --grid and --items", "--grid counts workgroups; --items counts work-items in total.", "Give --items 1024, or --grid 4 --block 256."),
    ("SIM305", "Wrong number of arguments", "A kernel takes one argument for each declared parameter.", "Compare the call with the signature in the message."),
    ("SIM306", "Arguments of two devices", "Arrays that live on different Device objects have unrelated addresses.", "Allocate them on one Device."),
    ("SIM307", "An argument does not fit its parameter", "A scalar is out of range or of another kind, or an array has another element type.", "Convert it: x.astype(numpy.float32), or another number."),
    ("SIM308", "A launch has no dimensions", "kernel(...) alone does not say how many work-items to start.", "Write kernel[groups, group_size](...) or kernel.launch(items=n)(...)."),
    ("SIM309", "Invalid value of a launch option", "Flags are True or False. The budget limits the instructions of each work-item; `threads` is the number of host threads that run native code, or \"auto\".", "Give a value that the message names, or leave the option out."),
    ("SIM310", "Use of a freed array", "A DeviceArray was used after free().", "Allocate it again."),
    ("SIM311", "Arrays of different shape or type", "copy_from needs the shape and element type of the array that it overwrites, which must not be read-only.", "Reshape or convert the source."),
    ("SIM312", "An array cannot be created or mapped", "The element type or the name is invalid, the array does not fit in memory, or a NumPy array that is to be used in place is not C-contiguous.", "Give a value that the message names; `to_device` copies an array that is not C-contiguous."),
    ("SIM313", "Too many kernels are in memory", "Native code occupies memory mappings, and the system limits their number per process.", "Drop references to modules, launches and simulators that are not needed any more."),
    ("SIM320", "Arguments of the command do not match the kernel", "--arg and --out name parameters of the kernel: each parameter needs one --arg, and --out names an array.", "Compare the options with the signature in the message."),
    ("SIM321", "Invalid value of --arg", "Scalars are numbers (42, 0x2a, 1.5); arrays are @file.npy, zeros:f32:1024, ones:, arange:, rand:f32:1024:seed=1 or full:u32:64x64:7, in the parameter's element type.", "Write the value in one of these forms."),
    ("SIM322", "A file does not hold an array of numbers", "Arrays are read from .npy files with one array each and without Python objects.", "Write the file with numpy.save."),
    ("SIM323", "An array is too large", "The array does not fit into this computer's memory.", "Use fewer elements."),
    # --- what a kernel did
    ("SIM401", "Out-of-bounds access", "A work-item read or wrote bytes outside every buffer, or outside its segment. The message names the nearest buffer and the distance.", "Guard the access with a compare of the index and the number of elements; check that the index is scaled by the element size."),
    ("SIM402", "Misaligned access", "An address is not a multiple of the size of the access.", "Scale the index by the element size, as: mad_u64 $d0, $d1, 4, $d0."),
    ("SIM403", "Use of a freed buffer", "The address lies in a buffer that was freed.", "Free the buffer after its last launch has ended."),
    ("SIM404", "Integer division by zero", "Integer div and rem trap if the divisor is zero; float division gives infinities and NaN.", "Guard the division with a compare and a branch."),
    ("SIM405", "Divergent barrier", "Some work-items of a workgroup wait at a barrier that others never reach.", "Let every work-item of the workgroup execute the same barrier equally often; --exited-arrive counts those that returned as arrived."),
    ("SIM406", "Instruction budget exhausted", "A work-item executed more instructions than --budget allows; the usual cause is a loop that does not end. Where nothing in the loop changes a register on which its condition depends, the message names both.", "Raise --budget if the kernel is meant to run this long."),
    ("SIM407", "SIMT deadlock", "Work-items of a warp wait for others of the same warp, which the divergence scheme never lets run. The kernel ends if every work-item is scheduled on its own.", "Let one work-item of each warp take the lock for all. --engine oracle schedules every work-item on its own and shows that the kernel itself is right."),
    ("SIM408", "Livelock", "A loop never ends, whatever the schedule.", "Check the exit condition of the loop that the message names."),
    ("SIM409", "Trap instruction", "The kernel executed `trap` with the code in the message; kernels report their own errors this way.", "Look up the code in the kernel's source."),
    ("SIM410", "Store to a read-only buffer", "The array that was passed may not be written.", "Pass a writable array."),
    ("SIM411", "An access leaves the array that it names", "Group, private and readonly arrays lie one after the other in their segment, so an index beyond the end of one reaches the next. The kernel may use that memory, but `run --check-arrays` reports it as a mistake.", "Check the index that the message names, or name the array that is meant."),
    ("SIM412", "A launch that does not end, and may be waiting", "A work-item used up its budget, or repeats a loop, in a kernel whose branches depend on stores of other work-items. The launch was too large to repeat it with every work-item scheduled on its own, so it is not known whether that would end.", "Run fewer work-items on smaller arrays with --engine interp or --engine oracle, which find out. To wait for a store, poll one fixed address: such kernels always run in the interpreter."),
    ("SIM420", "The result differs from the reference", "A program ran to its end, but an array differs from what its reference computes.", "Run it with --engine oracle: if that result differs too, the kernel is wrong."),
    ("SIM421", "The final memory depends on the policy", "compare runs the same launches under several policies. Without races all of them leave the same memory; the message names the policy that does not.", "Look for races: work-items that use the same bytes, one of which stores, without a barrier or an atomic between them. If the kernel has no race, the policy is wrong."),
    ("SIM430", "Interrupted", "Ctrl-C ended the launch. What was counted until then is shown.", "If it took too long, use a smaller size."),
    ("SIM440", "A simulation is stuck", "Every group of lanes waits for another one, or a re-convergence stack is full, although no work-item did anything wrong. The message shows what each group waits for.", "Simulate with --policy conv; if that finishes, the other policy is wrong."),
    ("SIM441", "The cycle accounts of a simulation do not add up", "Every issue slot, warp-cycle and lane is charged to exactly one cause. Under your own policy, scheduler or memory system some are charged to none or to two, so the statistics are wrong.", "Look for lanes that were removed from one group and added to none, and for a group that was woken before its wait was charged; simtlab.testing.policy_contract finds a small kernel that shows it."),
    ("SIM442", "A hook breaks a rule", "Your own policy, scheduler or memory system returned a value that its hook may not return, or left the groups in an impossible state: a group picked before its data arrived, lanes in two groups or at another instruction, a barrier that opens early, a date in the past. The message names the hook, its file and line, what it did and what was expected.", "Correct the hook. Plain engines and simulations with --checked look for such mistakes; simtlab.testing.policy_contract finds a small kernel that shows it."),
    ("SIM443", "A scheme loses lanes", "Your own divergence scheme raised an exception, put a lane in two paths or in none, or moved a lane to an instruction that its own path does not lead to.", "Correct the method that handles the event in the message; simtlab.testing.scheme_contract finds a small kernel that shows it."),
    # --- what `run --check` finds
    ("SIM450", "Data race", "Two work-items access the same bytes, at least one of them stores, and nothing orders the two: no barrier that both reach, no `memfence` and atomics that hand the data over, no end of a launch. Which one comes first depends on the schedule. Lanes of a warp race like all others: lock step is not a rule.", "Put a barrier between the two accesses, give each work-item its own element, or use an atomic. `simtlab explain checking` describes the rule."),
    ("SIM451", "Work-items store the same value", "Several work-items store to the same bytes, and nothing orders the stores. All of them store one value, so that the memory does not depend on their order. This is a warning.", "Let one work-item store it, or leave it if it is meant."),
    ("SIM452", "An atomic and a plain access race", "A work-item makes an atomic on bytes that another loads or stores without an atomic, and nothing orders the two. The plain access may happen between the atomic's read and its write.", "Use atomics on both sides (atomic_or of 0 loads, atomic_exch stores), or put a barrier or the end of the launch between."),
    ("SIM453", "A register is read before it is written", "All registers are 0 at the start, so the value is defined; but no instruction that this work-item has executed wrote the register. The usual cause is a wrong register number, or a branch around the instruction that sets it.", "Give the register a value on every path."),
    ("SIM454", "Group or private memory is read before it is written", "Both are 0 at the start, so the value is defined; on other machines it is not. No work-item of the workgroup has stored there.", "Store to it first; with a barrier between, where another work-item stores."),
    ("SIM455", "A buffer is read before it is written", "The array was allocated with Device.empty, and neither the host nor a kernel has written this element.", "Allocate it with Device.zeros, fill it with copy_from, or store to it first."),
    ("SIM456", "The result depends on how warps are executed", "The same launch on the same memory was executed by other engines, under other divergence schemes and warp widths, and left another memory. The usual causes are a data race, and code that relies on lanes running in lock step. A kernel that stores values of laneid, of the activelane family or of atomics may differ by right; the finding is then a warning.", "Order accesses to shared memory by barriers; the message names the first element and the runs."),
    ("SIM457", "No work-item reads what is stored", "`run --check-unread` reports stores whose value no work-item reads until it is overwritten, or until the end.", "Leave the store out, unless the host reads the array."),
))
# fmt: on
