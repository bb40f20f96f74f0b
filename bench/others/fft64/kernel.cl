#define SIZE 64
#define QUARTER 16
#define GROUP 64

static float2 times(float2 a, float2 w)
{
    return (float2)(a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x);
}

kernel void fft64(uint batch, global const float2 *restrict root, global const float2 *restrict x,
                  global float2 *restrict y)
{
    local float real[4 * GROUP], imaginary[4 * GROUP];
    uint l = get_local_id(0), t = l % QUARTER, which = l / QUARTER;
    uint place = which * SIZE + t, first = get_group_id(0) * 4 * GROUP + place;
    float2 v[4];
    for (int r = 0; r < 4; r++)
        v[r] = x[first + r * QUARTER];
    for (uint p = 1; p < SIZE; p *= 4) {
        uint k = t & (p - 1), w = QUARTER / p * k;
        for (int r = 1; r < 4; r++)
            v[r] = times(v[r], root[r * w & (SIZE - 1)]);
        float2 s = v[0] + v[2], d = v[0] - v[2], e = v[1] + v[3], f = v[1] - v[3];
        float2 out[4] = {s + e, (float2)(d.x + f.y, d.y - f.x), s - e,
                         (float2)(d.x - f.y, d.y + f.x)};
        uint j = which * SIZE + 4 * (t - k) + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < 4; r++) {
            real[j + r * p] = out[r].x;
            imaginary[j + r * p] = out[r].y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < 4; r++)
            v[r] = (float2)(real[place + r * QUARTER], imaginary[place + r * QUARTER]);
    }
    for (int r = 0; r < 4; r++)
        y[first + r * QUARTER] = v[r];
}
