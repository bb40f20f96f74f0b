kernel void chain(uint reads, uint anchors, global const uint *restrict place,
                  global const uint *restrict query, global int *restrict score,
                  global uint *restrict best)
{
    if (get_global_id(0) >= reads)
        return;
    uint r = get_global_id(0);
    uint first = r * anchors;
    int most = 0;
    uint last = 0;
    for (uint i = 0; i < anchors; i++) {
        int x = (int)place[first + i];
        int y = (int)query[first + i];
        int here = 15;
        uint j = i;
        uint tried = 0;
        while (j > 0 && tried < 25) {
            j--;
            int dx = x - (int)place[first + j];
            if (dx > 500)
                break;
            int dy = y - (int)query[first + j];
            if (dy <= 0 || dx <= 0 || dy > 500)
                continue;
            int gap = dx > dy ? dx - dy : dy - dx;
            int step = min(min(dx, dy), 15);
            int cost = gap == 0 ? 0 : gap / 4 + ((int)(32 - clz((uint)gap))) / 2;
            int now = score[first + j] + step - cost;
            if (now > here)
                here = now;
            tried++;
        }
        score[first + i] = here;
        if (here > most) {
            most = here;
            last = i;
        }
    }
    best[r] = last;
}
