kernel void tridist(uint n, uint triangles, global const float *restrict points,
                    global const float *restrict corners, global float *restrict nearest)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float px = points[i * 3], py = points[i * 3 + 1], pz = points[i * 3 + 2], least = 1e30f;
    for (uint t = 0; t < triangles; t++) {
        float ax = corners[t * 9], ay = corners[t * 9 + 1], az = corners[t * 9 + 2];
        float ux = corners[t * 9 + 3] - ax, uy = corners[t * 9 + 4] - ay;
        float uz = corners[t * 9 + 5] - az, vx = corners[t * 9 + 6] - ax;
        float vy = corners[t * 9 + 7] - ay, vz = corners[t * 9 + 8] - az;
        float wx = px - ax, wy = py - ay, wz = pz - az;
        float d1 = ux * wx + uy * wy + uz * wz, d2 = vx * wx + vy * wy + vz * wz;
        float uu = ux * ux + uy * uy + uz * uz, uv = ux * vx + uy * vy + uz * vz;
        float vv = vx * vx + vy * vy + vz * vz;
        float d3 = d1 - uu, d4 = d2 - uv, d5 = d1 - uv, d6 = d2 - vv;
        float s = 0.0f, r = 0.0f;
        float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
        if (d1 <= 0.0f && d2 <= 0.0f)
            s = 0.0f;
        else if (d3 >= 0.0f && d4 <= d3)
            s = 1.0f;
        else if (d6 >= 0.0f && d5 <= d6)
            r = 1.0f;
        else if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
            s = d1 / (d1 - d3);
        else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
            r = d2 / (d2 - d6);
        else if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f) {
            r = (d4 - d3) / (d4 - d3 + (d5 - d6));
            s = 1.0f - r;
        } else {
            float all = 1.0f / (va + vb + vc);
            s = vb * all;
            r = vc * all;
        }
        float x = wx - s * ux - r * vx, y = wy - s * uy - r * vy, z = wz - s * uz - r * vz;
        least = min(least, x * x + y * y + z * z);
    }
    nearest[i] = sqrt(least);
}
