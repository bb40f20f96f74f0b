#define SIDE 16

kernel void diagonal(uint n, uint first, global float *restrict a)
{
    local float block[SIDE][SIDE];
    uint tx = get_local_id(0), start = first * n + first;
    for (uint i = 0; i < SIDE; i++)
        block[i][tx] = a[start + i * n + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < SIDE - 1; i++) {
        if (tx > i) {
            for (uint j = 0; j < i; j++)
                block[tx][i] -= block[tx][j] * block[j][i];
            block[tx][i] /= block[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tx > i)
            for (uint j = 0; j < i + 1; j++)
                block[i + 1][tx] -= block[i + 1][j] * block[j][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 1; i < SIDE; i++)
        a[start + i * n + tx] = block[i][tx];
}

kernel void perimeter(uint n, uint first, global float *restrict a)
{
    local float corner[SIDE][SIDE], row[SIDE][SIDE], column[SIDE][SIDE];
    uint tx = get_local_id(0), idx = tx % SIDE;
    uint block = first + (get_group_id(0) + 1) * SIDE;
    if (tx < SIDE) {
        for (uint i = 0; i < SIDE / 2; i++)
            corner[i][idx] = a[(first + i) * n + first + idx];
        for (uint i = 0; i < SIDE; i++)
            row[i][idx] = a[(first + i) * n + block + idx];
    } else {
        for (uint i = SIDE / 2; i < SIDE; i++)
            corner[i][idx] = a[(first + i) * n + first + idx];
        for (uint i = 0; i < SIDE; i++)
            column[i][idx] = a[(block + i) * n + first + idx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx < SIDE) {
        for (uint i = 1; i < SIDE; i++)
            for (uint j = 0; j < i; j++)
                row[i][idx] -= corner[i][j] * row[j][idx];
    } else {
        for (uint i = 0; i < SIDE; i++) {
            for (uint j = 0; j < i; j++)
                column[idx][i] -= column[idx][j] * corner[j][i];
            column[idx][i] /= corner[i][i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx < SIDE)
        for (uint i = 0; i < SIDE; i++)
            a[(first + i) * n + block + idx] = row[i][idx];
    else
        for (uint i = 0; i < SIDE; i++)
            a[(block + i) * n + first + idx] = column[i][idx];
}

kernel void internal(uint n, uint first, global float *restrict a)
{
    local float row[SIDE][SIDE], column[SIDE][SIDE];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint x = first + (get_group_id(0) + 1) * SIDE + tx, y = first + (get_group_id(1) + 1) * SIDE + ty;
    row[ty][tx] = a[(first + ty) * n + x];
    column[ty][tx] = a[y * n + first + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (uint i = 0; i < SIDE; i++)
        sum += column[ty][i] * row[i][tx];
    a[y * n + x] -= sum;
}
