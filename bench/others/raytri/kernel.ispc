export void raytri(uniform int n, uniform int triangles, uniform const float triangle[],
                   uniform const float direction[], uniform float distance[], uniform int hit[])
{
    foreach (i = 0 ... n) {
        float dx = direction[3 * i], dy = direction[3 * i + 1], dz = direction[3 * i + 2];
        float nearest = 1e30f;
        int found = -1;
        for (uniform int k = 0; k < triangles; k++) {
            uniform const float *uniform t9 = triangle + 9 * k;
            uniform float sx = -t9[0], sy = -t9[1], sz = -t9[2];
            uniform float ux = t9[3], uy = t9[4], uz = t9[5];
            uniform float vx = t9[6], vy = t9[7], vz = t9[8];
            float px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
            float scale = ux * px + uy * py + uz * pz;
            if (abs(scale) < 1e-9f)
                continue;
            scale = 1 / scale;
            float x = (sx * px + sy * py + sz * pz) * scale;
            if (x < 0 || x > 1)
                continue;
            uniform float qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
            float y = (dx * qx + dy * qy + dz * qz) * scale;
            if (y < 0 || x + y > 1)
                continue;
            float t = (vx * qx + vy * qy + vz * qz) * scale;
            if (t > 0 && t < nearest) {
                nearest = t;
                found = k;
            }
        }
        distance[i] = nearest;
        hit[i] = found;
    }
}
