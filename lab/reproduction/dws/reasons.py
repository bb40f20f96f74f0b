"""Why figures of DWS may differ from the paper's, as far as it is known, or what was tried."""

from __future__ import annotations

PERSISTENT = (
    "with the tasks of a warp on neighbouring elements, few misses are divergent and Conv waits "
    "half as long as in the paper; lessons/table1 has the paper's rates, and its gain (`simtlab "
    "explain divergences`)"
)
NEVER_MEET = (
    "the programs are persistent loops, in which splits of a warp have no point to meet but equal"
    " PCs; `simtlab explain divergences`, 'Unrelenting subdivision'"
)
LOW_LATENCY = (
    "four warps hide most of a miss that takes as long as the paper's latencies add up to; with "
    "the rates of its Table 1 and a second level of 300 cycles Conv waits as long as the paper "
    "says, and the gain is there (`simtlab explain divergences`)"
)
BUSY_KMEANS = (
    "KMeans waits little and issues much: its `if (distance < least)` splits warps, and each half"
    " issues its own instructions until the halves merge; ReviveSplit.BL, which leaves branches "
    "alone, does not lose"
)
STACK_LOOP = (
    "merging by the stack alone leaves a warp split until the loop over tasks ends, which is the "
    "end of the kernel here; with a work-item a task (`--mapping tasks`) KMeans is hurt most, as "
    "in the paper"
)
KMEANS_WIDTH = (
    "KMeans' halves meet again at the next access of the loop over clusters, which all lanes "
    "share; the paper's may have accesses of their own on the sides of the branch"
)
SHARED_LINES = (
    "lanes of a warp share cache lines, so that wider or more warps add few misses; only mappings"
    " that give lanes data of their own thrash the cache (`simtlab explain programs`, mappings)"
)
FIRST_BRANCH = (
    "a split ends at the next branch, and loops here are short; the gain is larger where a loop "
    "has a hundred instructions, as in lessons/table1 (`simtlab reproduce dws-map`)"
)
SMALL_MEANS = (
    "the means are within a few percent of 1, so that a single program decides their order: "
    "merge, which gains, or kmeans, which loses"
)
SLIP_IDLE = (
    "lanes slip at divergent misses, which are few here: slip changes nothing in most programs, "
    "and is ahead of ReviveSplit where that loses a little"
)
SLIP_BRANCHES = (
    "with branches that split the warp, lanes left behind execute their side alone; how much that"
    " costs depends on the branches that diverge, which are fewer in ours (`dws-tab1`)"
)
CONV_WIDTH = "fewer branches diverge than in the paper, in Short above all (`dws-tab1`)"
ALL_LANES_MISS = (
    "in Filter and SVM lanes miss together, whole lines at a time, so that no lane stalls others"
)
SMALL_GAIN = (
    "the gain is about 2%, and its changes along this axis are of the same size; with the rates "
    "of the paper's Table 1 it follows latency and distance between misses (`simtlab reproduce "
    "dws-map`)"
)
FEW_SPLITS = (
    "there are fewer splits than slots and entries, because few misses are divergent; with the "
    "rates of Table 1 and a second level of 300 cycles the limits cost 11% (`simtlab reproduce "
    "dws-map`)"
)
ENERGY = "energy follows time here as there, and there is less time to save"
SLIP_ENERGY = (
    "energy follows time, and Slip.BranchBypass takes longer than Conv here, in Short a third "
    "longer"
)
WIDE_CACHES = (
    "data that are read for the first time miss in a cache of any size, and splits hide some of "
    "that latency"
)
