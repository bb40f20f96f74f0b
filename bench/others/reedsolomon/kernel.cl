kernel void reedsolomon(uint n, global const uchar *restrict power, global const uchar *restrict log_,
                        global const uchar *restrict weight, global const uchar *restrict data,
                        global uchar *restrict parity)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint p = 0; p < 4; p++) {
        uchar sum = 0;
        for (uint d = 0; d < 8; d++) {
            uchar x = data[d * n + i];
            if (x != 0)
                sum ^= power[log_[x] + weight[p * 8 + d]];
        }
        parity[p * n + i] = sum;
    }
}
