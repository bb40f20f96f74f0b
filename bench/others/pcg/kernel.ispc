export void pcg(uniform int n, uniform int draws, uniform const uint64 state[],
                uniform uint32 sum[])
{
    foreach (i = 0 ... n) {
        uint64 s = state[i];
        uint32 total = 0;
        for (uniform int k = 0; k < draws; k++) {
            uint32 mixed = (uint32)((s >> 18 ^ s) >> 27), turn = (uint32)(s >> 59);
            total += mixed >> turn | mixed << (-turn & 31);
            s = s * 6364136223846793005ull + 1442695040888963407ull;
        }
        sum[i] = total;
    }
}
