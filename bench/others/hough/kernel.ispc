export void hough(uniform int width, uniform int height, uniform int angles,
                  uniform int distances, uniform const uint8 edge[], uniform const int cosine[],
                  uniform const int sine[], uniform uint32 votes[])
{
    foreach (y = 0 ... height, x = 0 ... width) {
        if (edge[y * width + x] != 0)
            for (uniform int a = 0; a < angles; a++) {
                int distance = ((cosine[a] * x + sine[a] * y) >> 12) + distances / 2;
                atomic_add_global(&votes[a * distances + distance], 1);
            }
    }
}
