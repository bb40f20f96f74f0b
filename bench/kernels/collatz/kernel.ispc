export void collatz(uniform int n, uniform uint32 steps[])
{
    foreach (i = 0 ... n) {
        uint64 v = (uint64)i + 1;
        uint32 taken = 0;
        while (v != 1) {
            if (v & 1)
                v = 3 * v + 1;
            else
                v = v >> 1;
            taken++;
        }
        steps[i] = taken;
    }
}
