kernel void hashgrid(uint n, uint mask, global const float *restrict x,
                     global const float *restrict y, global const float *restrict z,
                     global const float *restrict table, global float *restrict out)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float scale = 8.0f;
    for (uint level = 0; level < 4; level++) {
        float px = x[i] * scale, py = y[i] * scale, pz = z[i] * scale;
        float fx = floor(px), fy = floor(py), fz = floor(pz);
        uint cx = (uint)fx, cy = (uint)fy, cz = (uint)fz;
        fx = px - fx;
        fy = py - fy;
        fz = pz - fz;
        float a = 0.0f, b = 0.0f;
        for (uint k = 0; k < 8; k++) {
            uint dx = k & 1u, dy = k >> 1 & 1u, dz = k >> 2;
            uint hash = (cx + dx) ^ (cy + dy) * 2654435761u ^ (cz + dz) * 805459861u;
            uint at = (level * (mask + 1) + (hash & mask)) * 2;
            float w = (dx == 1 ? fx : 1.0f - fx) * (dy == 1 ? fy : 1.0f - fy);
            w *= dz == 1 ? fz : 1.0f - fz;
            a += w * table[at];
            b += w * table[at + 1];
        }
        out[(level * 2) * n + i] = a;
        out[(level * 2 + 1) * n + i] = b;
        scale = scale * 2.0f;
    }
}
