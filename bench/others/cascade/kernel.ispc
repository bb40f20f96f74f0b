export void cascade(uniform int width, uniform int nx, uniform int ny, uniform int stages,
                    uniform const uint32 sums[], uniform const uint32 first[],
                    uniform const uint32 boxes[], uniform const int limits[],
                    uniform uint8 found[])
{
    for (uniform int y = 0; y < ny; y++)
        foreach (x = 0 ... nx) {
            uint32 at = y * width + x, stage = 0;
            bool alive = true;
            while (alive && stage < stages) {
                int total = 0;
                for (uint32 k = first[stage]; k < first[stage + 1]; k++) {
                    uint32 left = boxes[k * 4], top = boxes[k * 4 + 1];
                    uint32 w = boxes[k * 4 + 2], h = boxes[k * 4 + 3];
                    uint32 a = at + top * width + left;
                    uint32 b = a + h * width;
                    uint32 c = b + h * width;
                    int upper = (int)(sums[b + w] - sums[b] - sums[a + w] + sums[a]);
                    int lower = (int)(sums[c + w] - sums[c] - sums[b + w] + sums[b]);
                    total += abs(upper - lower);
                }
                if (total < limits[stage])
                    alive = false;
                stage++;
            }
            found[y * nx + x] = alive ? (uint8)1 : (uint8)0;
        }
}
