#define STEPS 16

kernel void mergecsr(uint items, uint n, uint entries, global const uint *restrict end,
                     global const uint *restrict col, global const float *restrict value,
                     global const float *restrict x, global float *restrict y,
                     global uint *restrict carry_row, global float *restrict carry)
{
    uint i = get_global_id(0);
    if (i >= items)
        return;
    uint diagonal = i * STEPS;
    uint low = diagonal > entries ? diagonal - entries : 0, high = min(diagonal, n);
    while (low < high) {
        uint middle = (low + high) / 2;
        if (end[middle] <= diagonal - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    uint row = low, entry = diagonal - low;
    float sum = 0.0f;
    for (uint step = 0; step < STEPS && row < n; step++) {
        if (entry < end[row]) {
            sum += value[entry] * x[col[entry]];
            entry++;
        } else {
            y[row++] = sum;
            sum = 0.0f;
        }
    }
    carry_row[i] = row;
    carry[i] = sum;
}

kernel void mergefix(uint items, uint n, global float *restrict y,
                     global const uint *restrict carry_row, global const float *restrict carry)
{
    uint i = get_global_id(0);
    if (i >= items)
        return;
    uint row = carry_row[i];
    if (row >= n || (i > 0 && carry_row[i - 1] == row))
        return;
    float sum = 0.0f;
    do
        sum += carry[i++];
    while (i < items && carry_row[i] == row);
    y[row] += sum;
}
