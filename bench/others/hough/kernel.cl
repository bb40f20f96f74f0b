kernel void hough(uint width, uint height, uint angles, uint distances,
                  global const uchar *restrict edge, global const int *restrict cosine,
                  global const int *restrict sine, global uint *restrict votes)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= (int)width || y >= (int)height || !edge[y * width + x])
        return;
    for (uint a = 0; a < angles; a++) {
        int distance = ((cosine[a] * x + sine[a] * y) >> 12) + (int)(distances / 2);
        atomic_inc(&votes[a * distances + distance]);
    }
}
