kernel void lnback(uint rows, uint columns, global const float *restrict x,
                   global const float *restrict gamma, global const float *restrict up,
                   global float *restrict down)
{
    local float a[128], b[128];
    uint l = get_local_id(0), row = get_group_id(0), first = row * columns;
    float sum = 0.0f, squares = 0.0f;
    for (uint i = l; i < columns; i += 128) {
        float v = x[first + i];
        sum += v;
        squares += v * v;
    }
    a[l] = sum;
    b[l] = squares;
    for (uint step = 64; step != 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            a[l] += a[l + step];
            b[l] += b[l + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float mean = a[0] / (float)columns;
    float scale = 1.0f / sqrt(b[0] / (float)columns - mean * mean + 0.00001f);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    squares = 0.0f;
    for (uint i = l; i < columns; i += 128) {
        float g = up[first + i] * gamma[i];
        sum += g;
        squares += g * (x[first + i] - mean);
    }
    a[l] = sum;
    b[l] = squares;
    for (uint step = 64; step != 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            a[l] += a[l + step];
            b[l] += b[l + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float shift = a[0] / (float)columns;
    float turn = b[0] / (float)columns * scale * scale;
    for (uint i = l; i < columns; i += 128) {
        float g = up[first + i] * gamma[i];
        down[first + i] = (g - shift - (x[first + i] - mean) * turn) * scale;
    }
}
