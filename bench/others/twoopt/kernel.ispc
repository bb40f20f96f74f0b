/* A tour at a time: a barrier is the end of a foreach. */
export void twoopt(uniform int rounds, uniform const float town[], uniform uint8 tour[],
                   uniform int tours)
{
    for (uniform int t = 0; t < tours; t++) {
        uniform float x[64], y[64];
        uniform int order[64], turned[64];
        uniform int first = t * 64;
        foreach (l = 0 ... 64) {
            x[l] = town[(first + l) * 2];
            y[l] = town[(first + l) * 2 + 1];
            order[l] = l;
        }
        for (uniform int round = 0; round < rounds; round++) {
            float most = 0.0f;
            int left = 0, right = 0;
            foreach (l = 0 ... 64) {
                int a = order[l], b = order[(l + 1) & 63];
                float ax = x[a], ay = y[a], bx = x[b], by = y[b];
                float ab = sqrt((ax - bx) * (ax - bx) + (ay - by) * (ay - by));
                for (int j = l + 2; j < 63; j++) {
                    int c = order[j], d = order[j + 1];
                    float cx = x[c], cy = y[c], dx = x[d], dy = y[d];
                    float cd = sqrt((cx - dx) * (cx - dx) + (cy - dy) * (cy - dy));
                    float ac = sqrt((ax - cx) * (ax - cx) + (ay - cy) * (ay - cy));
                    float bd = sqrt((bx - dx) * (bx - dx) + (by - dy) * (by - dy));
                    float less = ab + cd - ac - bd;
                    if (less > most) {
                        most = less;
                        left = l;
                        right = j;
                    }
                }
            }
            uniform float best = reduce_max(most);
            if (best <= 0.0001f)
                break;
            uniform int low = reduce_min(most == best ? left : 64);
            uniform int high = reduce_max(most == best && left == low ? right : 0);
            low = low + 1;
            foreach (l = 0 ... 64)
                turned[l] = order[l >= low && l <= high ? low + high - l : l];
            foreach (l = 0 ... 64)
                order[l] = turned[l];
        }
        foreach (l = 0 ... 64)
            tour[first + l] = order[l];
    }
}
