#define TILE 64

kernel void raytri(uint n, uint triangles, global const float *restrict triangle,
                   global const float *restrict direction, global float *restrict distance,
                   global int *restrict hit)
{
    local float tile[TILE * 9];
    uint i = get_global_id(0), l = get_local_id(0);
    float3 d = i < n ? vload3(i, direction) : (float3)(0);
    float nearest = 1e30f;
    int found = -1;
    for (uint first = 0; first < triangles; first += TILE) {
        uint items = min(triangles - first, (uint)TILE);
        if (l < items)
            for (uint k = 0; k < 9; k++)
                tile[l * 9 + k] = triangle[(first + l) * 9 + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < items; k++) {
            float3 s = -vload3(3 * k, tile), u = vload3(3 * k + 1, tile);
            float3 v = vload3(3 * k + 2, tile), p = cross(d, v);
            float scale = dot(u, p);
            if (fabs(scale) < 1e-9f)
                continue;
            scale = 1 / scale;
            float x = dot(s, p) * scale;
            if (x < 0 || x > 1)
                continue;
            float3 q = cross(s, u);
            float y = dot(d, q) * scale;
            if (y < 0 || x + y > 1)
                continue;
            float t = dot(v, q) * scale;
            if (t > 0 && t < nearest) {
                nearest = t;
                found = first + k;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) {
        distance[i] = nearest;
        hit[i] = found;
    }
}
