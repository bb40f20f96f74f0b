export void reedsolomon(uniform int n, uniform const uint8 power[], uniform const uint8 log_[],
                        uniform const uint8 weight[], uniform const uint8 data[],
                        uniform uint8 parity[])
{
    foreach (i = 0 ... n) {
        for (uniform int p = 0; p < 4; p++) {
            uint8 sum = 0;
            for (uniform int d = 0; d < 8; d++) {
                int x = data[d * n + i];
                if (x != 0)
                    sum ^= power[(int)log_[x] + weight[p * 8 + d]];
            }
            parity[p * n + i] = sum;
        }
    }
}
