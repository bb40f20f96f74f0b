struct Four {
    float x, y, z, w;
};

export void md(uniform int n, uniform int neighbours, uniform float cut, uniform float lj1,
               uniform float lj2, uniform const Four place[], uniform const uint32 nearest[],
               uniform Four force[])
{
    foreach (i = 0 ... n) {
        float x = place[i].x, y = place[i].y, z = place[i].z;
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
        for (uniform int k = 0; k < neighbours; k++) {
            int j = nearest[k * n + i];
            float dx = x - place[j].x, dy = y - place[j].y, dz = z - place[j].z;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cut) {
                float inverse = 1.0f / r2;
                float r6 = inverse * inverse * inverse;
                float size = inverse * r6 * (lj1 * r6 - lj2);
                fx += dx * size;
                fy += dy * size;
                fz += dz * size;
            }
        }
        force[i].x = fx;
        force[i].y = fy;
        force[i].z = fz;
    }
}
