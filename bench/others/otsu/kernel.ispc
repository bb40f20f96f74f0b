/* A tile at a time: a barrier is the end of a foreach. */
export void otsu_all(uniform int pitch, uniform int gx, uniform int gy, uniform const uint8 image[],
                     uniform uint8 out[], uniform uint8 limit[])
{
    uniform uint32 count[256], mass[256];
    foreach (l = 0 ... 256)
        count[l] = 0;
    uniform int first = gy * 32 * pitch + gx * 32;
    foreach (y = 0 ... 32, x = 0 ... 32)
        atomic_add_local(&count[(int)image[first + y * pitch + x]], 1);
    uniform uint32 more = 0, heavier = 0;
    foreach (l = 0 ... 256) {
        uint32 c = count[l];
        uint32 m = c * l;
        count[l] = more + exclusive_scan_add(c) + c;
        mass[l] = heavier + exclusive_scan_add(m) + m;
        more += reduce_add(c);
        heavier += reduce_add(m);
    }
    float most = -1.0f;
    int which = 0;
    uniform uint32 all = mass[255];
    foreach (l = 0 ... 256) {
        int below = count[l];
        int above = 1024 - below;
        int apart = (int)all * below - (int)mass[l] * 1024;
        float value = 0.0f;
        if (below > 0 && above > 0)
            value = (float)apart * (float)apart / (float)(below * above);
        if (value > most) {
            most = value;
            which = l;
        }
    }
    uniform float top = reduce_max(most);
    uniform int best = reduce_min(most == top ? which : 256);
    limit[gy * (pitch / 32) + gx] = best;
    foreach (y = 0 ... 32, x = 0 ... 32)
        out[first + y * pitch + x] = (int)image[first + y * pitch + x] > best ? 255 : 0;
}

export void otsu(uniform int pitch, uniform const uint8 image[], uniform uint8 out[],
                 uniform uint8 limit[], uniform int rows)
{
    for (uniform int gy = 0; gy < rows; gy++)
        for (uniform int gx = 0; gx < pitch / 32; gx++)
            otsu_all(pitch, gx, gy, image, out, limit);
}
