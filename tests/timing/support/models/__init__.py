"""Plain models of the papers' toy machine, for tests.

They are written from the papers and from docs/papers.md, never from the engine, so that a rule
that the engine gets wrong is not wrong here as well. Where the papers are silent a model takes the
choice as an input (`Choices`). Everything is a list, a mask in an int, or a small class; nothing is
fast.

    programs  instructions, and what work-items do at branches and accesses
    nests     random nests of if/else and loops
    graphs    random acyclic control-flow graphs
    figures   the papers' worked examples
    splits    the stack, and warps that split (DWS 2 to 5)
    pairs     paired paths, a PC per thread (PPC II, III)
    barrel    the barrel pipeline, two-level fetch, large warps (LWM 2, 3)
    text      a case as a scenario for the engine
    compare   engine against model, case by case
    cases     the random cases of a seed
"""
