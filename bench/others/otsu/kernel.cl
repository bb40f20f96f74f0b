kernel void otsu(uint pitch, global const uchar *restrict image, global uchar *restrict out,
                 global uchar *restrict limit, uint rows)
{
    local uint count[256];
    local uint mass[256];
    local float part[256];
    local uint which[256];
    uint l = get_local_id(0), gx = get_group_id(0), gy = get_group_id(1);
    uint first = gy * 32 * pitch + gx * 32 + l / 32 * pitch + l % 32;
    count[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 4; k++) {
        uint level = image[first + k * 8 * pitch];
        atomic_add(&count[level], 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mass[l] = count[l] * l;
    for (uint step = 1; step < 256; step = step * 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint more = 0, heavier = 0;
        if (l >= step) {
            more = count[l - step];
            heavier = mass[l - step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count[l] = count[l] + more;
        mass[l] = mass[l] + heavier;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int below = (int)count[l], above = 1024 - below;
    int apart = (int)mass[255] * below - (int)mass[l] * 1024;
    float value = 0.0f;
    if (below > 0 && above > 0)
        value = (float)apart * (float)apart / (float)(below * above);
    part[l] = value;
    which[l] = l;
    for (uint half_ = 128; half_ > 0; half_ = half_ / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_) {
            if (part[l + half_] > part[l] ||
                part[l + half_] == part[l] && which[l + half_] < which[l]) {
                part[l] = part[l + half_];
                which[l] = which[l + half_];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint best = which[0];
    if (l == 0)
        limit[gy * (pitch / 32) + gx] = (uchar)best;
    for (uint k = 0; k < 4; k++) {
        uint level = image[first + k * 8 * pitch];
        out[first + k * 8 * pitch] = (uchar)(level > best ? 255 : 0);
    }
}
