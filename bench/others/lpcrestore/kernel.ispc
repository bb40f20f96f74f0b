export void lpcrestore(uniform int n, uniform const int32 rest[], uniform const int32 factor[],
                       uniform int32 sound[])
{
    foreach (i = 0 ... n) {
        int first = i * 256;
        for (uniform int t = 0; t < 8; t++)
            sound[first + t] = rest[first + t];
        for (uniform int t = 8; t < 256; t++) {
            int sum = 0;
            for (uniform int k = 0; k < 8; k++)
                sum += factor[i * 8 + k] * sound[first + t - 1 - k];
            sound[first + t] = rest[first + t] + (sum >> 9);
        }
    }
}
