export void transform(uniform int n, uniform const float matrix[], uniform const float point[],
                      uniform float moved[])
{
    foreach (i = 0 ... n) {
        for (uniform int r = 0; r < 4; r++) {
            float sum = 0.0f;
            for (uniform int c = 0; c < 4; c++)
                sum += matrix[i * 16 + r * 4 + c] * point[i * 4 + c];
            moved[i * 4 + r] = sum;
        }
    }
}
