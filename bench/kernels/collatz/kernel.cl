kernel void collatz(uint n, global uint *steps)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    ulong v = (ulong)i + 1;
    uint taken = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v >> 1;
        taken++;
    }
    steps[i] = taken;
}
