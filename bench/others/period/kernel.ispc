export void period(uniform int w, uniform int h, uniform int limit, uniform uint32 steps[])
{
    for (uniform int row = 0; row < h; row++) {
        foreach (column = 0 ... w) {
            float a = column * (3.0f / w) - 2.2f, b = row * (2.4f / h) - 1.2f;
            float x = 0, y = 0, oldx = 0, oldy = 0;
            int k = 0, saved = 8, count = limit;
            while (k < limit) {
                if (x * x + y * y > 4) {
                    count = k;
                    break;
                }
                float next = x * x - y * y + a;
                y = 2 * x * y + b;
                x = next;
                if (abs(x - oldx) < 1e-6f && abs(y - oldy) < 1e-6f)
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
    }
}
