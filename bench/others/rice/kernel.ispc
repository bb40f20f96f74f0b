export void rice(uniform unsigned int n, uniform unsigned int length, uniform const uint32 start[],
                 uniform const uint32 words[], uniform int32 value[])
{
    foreach (i = 0 ... n) {
        uint32 at = start[i], mean = 16;
        for (uniform unsigned int j = 0; j < length; j++) {
            uint32 low = 32 - count_leading_zeros((int32)(mean >> 4)), number = 0;
            while (((words[at >> 5] >> (at & 31)) & 1) != 0) {
                number++;
                at++;
            }
            at++;
            uint64 both = words[at >> 5] | ((uint64)words[(at >> 5) + 1] << 32);
            number = (number << low) | ((uint32)(both >> (at & 31)) & (((uint32)1 << low) - 1));
            at += low;
            mean = mean - (mean >> 4) + number;
            value[j * n + i] = (int32)(number >> 1) ^ -(int32)(number & 1);
        }
    }
}
