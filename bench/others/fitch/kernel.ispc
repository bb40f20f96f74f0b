export void fitch(uniform int n, uniform const uint8 leaf[], uniform const uint32 child[],
                  uniform uint8 changes[])
{
    foreach (i = 0 ... n) {
        uint32 set[63];
        int count = 0;
        for (uniform int k = 0; k < 32; k++)
            set[k] = leaf[k * n + i];
        for (uniform int k = 0; k < 31; k++) {
            uint32 a = set[child[k * 2]], b = set[child[k * 2 + 1]];
            uint32 both = a & b;
            if (both == 0) {
                both = a | b;
                count++;
            }
            set[k + 32] = both;
        }
        changes[i] = (uint8)count;
    }
}
