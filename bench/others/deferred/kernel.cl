#define TILE 16
#define MOST 512

kernel void deferred(uint width, uint height, uint lights, global const float *restrict depth,
                     global const float *restrict light, global uint *restrict shade)
{
    local uint nearest, farthest, count, list[MOST];
    uint x = get_global_id(0), y = get_global_id(1);
    uint l = get_local_id(1) * TILE + get_local_id(0);
    float z = depth[y * width + x];
    if (l == 0) {
        nearest = 0x7f800000;
        farthest = 0;
        count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_min(&nearest, as_uint(z));
    atomic_max(&farthest, as_uint(z));
    barrier(CLK_LOCAL_MEM_FENCE);
    float low = as_float(nearest), high = as_float(farthest);
    float left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    for (uint k = l; k < lights; k += TILE * TILE) {
        float a = light[4 * k], b = light[4 * k + 1], c = light[4 * k + 2], r = light[4 * k + 3];
        if (a + r > left && a - r < left + TILE && b + r > top && b - r < top + TILE
            && c + r > low && c - r < high)
            list[atomic_inc(&count)] = k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint j = 0; j < count; j++) {
        uint k = list[j];
        float a = light[4 * k] - x, b = light[4 * k + 1] - y, c = light[4 * k + 2] - z;
        float reach = light[4 * k + 3];
        float share = 1.0f - (a * a + b * b + c * c) / (reach * reach);
        if (share > 0.0f)
            sum += (uint)(share * 1024.0f);
    }
    shade[y * width + x] = sum;
}
