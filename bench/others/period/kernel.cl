kernel void period(uint w, uint h, uint limit, global uint *restrict steps)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= w || row >= h)
        return;
    float a = column * (3.0f / w) - 2.2f, b = row * (2.4f / h) - 1.2f;
    float x = 0, y = 0, oldx = 0, oldy = 0;
    uint k = 0, saved = 8, count = limit;
    while (k < limit) {
        if (x * x + y * y > 4) {
            count = k;
            break;
        }
        float next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
        if (fabs(x - oldx) < 1e-6f && fabs(y - oldy) < 1e-6f)
            break;
        k++;
        if (k == saved) {
            oldx = x;
            oldy = y;
            saved *= 2;
        }
    }
    steps[row * w + column] = count;
}
