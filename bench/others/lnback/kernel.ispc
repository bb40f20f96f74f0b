export void lnback(uniform int rows, uniform int columns, uniform const float x[],
                   uniform const float gamma[], uniform const float up[], uniform float down[])
{
    for (uniform int row = 0; row < rows; row++) {
        uniform int first = row * columns;
        float part = 0.0f;
        float squared = 0.0f;
        foreach (i = 0 ... columns) {
            float v = x[first + i];
            part += v;
            squared += v * v;
        }
        uniform float mean = reduce_add(part) / columns;
        uniform float scale = 1.0f / sqrt(reduce_add(squared) / columns - mean * mean + 0.00001f);
        part = 0.0f;
        squared = 0.0f;
        foreach (i = 0 ... columns) {
            float g = up[first + i] * gamma[i];
            part += g;
            squared += g * (x[first + i] - mean);
        }
        uniform float shift = reduce_add(part) / columns;
        uniform float turn = reduce_add(squared) / columns * scale * scale;
        foreach (i = 0 ... columns) {
            float g = up[first + i] * gamma[i];
            down[first + i] = (g - shift - (x[first + i] - mean) * turn) * scale;
        }
    }
}
