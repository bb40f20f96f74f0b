kernel void hotspot3d(uint nx, uint ny, uint nz, float cc, float cw, float cn, float ct, float step,
                      global const float *restrict power, global const float *restrict t,
                      global float *restrict next)
{
    uint i = get_global_id(0), j = get_global_id(1);
    if (i >= nx || j >= ny)
        return;
    uint layer = nx * ny, c = j * nx + i;
    uint w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1;
    uint n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
    float above = t[c], present = above;
    for (uint k = 0; k < nz; k++) {
        float below = present;
        if (k < nz - 1)
            below = t[c + layer];
        next[c] = cc * present + cw * t[w] + cw * t[e] + cn * t[n] + cn * t[s] + ct * above
                  + ct * below + step * power[c];
        above = present;
        present = below;
        c += layer;
        w += layer;
        e += layer;
        n += layer;
        s += layer;
    }
}
