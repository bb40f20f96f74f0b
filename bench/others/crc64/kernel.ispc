export void crc64(uniform int n, uniform const uint32 start[], uniform const uint8 text[],
                  uniform const uint64 table[], uniform uint64 crc[])
{
    foreach (i = 0 ... n) {
        uint64 sum = -1;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum = table[((uint32)sum & 255) ^ text[k]] ^ sum >> 8;
        crc[i] = ~sum;
    }
}
