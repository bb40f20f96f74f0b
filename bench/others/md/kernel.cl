kernel void md(uint n, uint neighbours, float cut, float lj1, float lj2,
               global const float4 *restrict place, global const uint *restrict nearest,
               global float4 *restrict force)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float4 own = place[i];
    float4 f = (float4)(0.0f);
    for (uint k = 0; k < neighbours; k++) {
        uint j = nearest[k * n + i];
        float4 other = place[j];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut) {
            float inverse = 1.0f / r2;
            float r6 = inverse * inverse * inverse;
            float size = inverse * r6 * (lj1 * r6 - lj2);
            f.x += dx * size;
            f.y += dy * size;
            f.z += dz * size;
        }
    }
    force[i] = f;
}
