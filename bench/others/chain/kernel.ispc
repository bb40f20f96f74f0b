export void chain(uniform int reads, uniform int anchors, uniform const uint32 place[],
                  uniform const uint32 query[], uniform int score[], uniform uint32 best[])
{
    foreach (r = 0 ... reads) {
        int first = r * anchors;
        int most = 0;
        int last = 0;
        for (uniform int i = 0; i < anchors; i++) {
            int x = (int)place[first + i];
            int y = (int)query[first + i];
            int here = 15;
            int j = i;
            int tried = 0;
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
                int cost = gap == 0 ? 0 : gap / 4
                    + ((int)(32 - count_leading_zeros((uint32)gap))) / 2;
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
}
