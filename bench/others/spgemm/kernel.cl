kernel void spgemm(uint n, global const uint *restrict start, global const uint *restrict column,
                   global const float *restrict value, global uint *restrict found,
                   global uint *restrict places, global float *restrict sums)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint place[16], length = 0;
    float sum[16];
    for (uint j = start[i]; j < start[i + 1]; j++) {
        uint row = column[j];
        for (uint k = start[row]; k < start[row + 1]; k++) {
            uint c = column[k], at = 0;
            float product = value[j] * value[k];
            while (at < length && place[at] < c)
                at++;
            if (at < length && place[at] == c) {
                sum[at] += product;
                continue;
            }
            for (uint m = length; m > at; m--) {
                place[m] = place[m - 1];
                sum[m] = sum[m - 1];
            }
            place[at] = c;
            sum[at] = product;
            length++;
        }
    }
    found[i] = length;
    for (uint m = 0; m < length; m++) {
        places[i * 16 + m] = place[m];
        sums[i * 16 + m] = sum[m];
    }
}
