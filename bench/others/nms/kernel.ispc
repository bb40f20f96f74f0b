export void nms(uniform int n, uniform float limit, uniform const float boxes[],
                uniform unsigned int64 mask[])
{
    uniform int words = (n + 63) / 64;
    for (uniform int column = 0; column < words; column++) {
        uniform int count = min(n - column * 64, 64);
        foreach (i = 0 ... min(n, column * 64 + 64)) {
            float x0 = boxes[i * 4], y0 = boxes[i * 4 + 1];
            float x1 = boxes[i * 4 + 2], y1 = boxes[i * 4 + 3];
            float area = (x1 - x0) * (y1 - y0);
            unsigned int64 bits = 0;
            for (uniform int j = 0; j < count; j++) {
                uniform int other = column * 64 + j;
                uniform float a0 = boxes[other * 4], b0 = boxes[other * 4 + 1];
                uniform float a1 = boxes[other * 4 + 2], b1 = boxes[other * 4 + 3];
                float width = max(min(x1, a1) - max(x0, a0), 0.0f);
                float height = max(min(y1, b1) - max(y0, b0), 0.0f);
                float shared = width * height;
                if (other > i && shared > limit * (area + (a1 - a0) * (b1 - b0) - shared))
                    bits |= ((unsigned int64)1) << j;
            }
            mask[i * words + column] = bits;
        }
    }
}
