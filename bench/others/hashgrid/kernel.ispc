export void hashgrid(uniform int n, uniform int mask, uniform const float x[],
                     uniform const float y[], uniform const float z[], uniform const float table[],
                     uniform float out[])
{
    foreach (i = 0 ... n) {
        float scale = 8.0f;
        for (uniform int level = 0; level < 4; level++) {
            float px = x[i] * scale, py = y[i] * scale, pz = z[i] * scale;
            float fx = floor(px), fy = floor(py), fz = floor(pz);
            uint32 cx = (uint32)fx, cy = (uint32)fy, cz = (uint32)fz;
            fx = px - fx;
            fy = py - fy;
            fz = pz - fz;
            float a = 0.0f, b = 0.0f;
            for (uniform uint32 k = 0; k < 8; k++) {
                uint32 dx = k & 1u, dy = k >> 1 & 1u, dz = k >> 2;
                uint32 hash = (cx + dx) ^ (cy + dy) * 2654435761u ^ (cz + dz) * 805459861u;
                int at = (level * (mask + 1) + (hash & mask)) * 2;
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
}
