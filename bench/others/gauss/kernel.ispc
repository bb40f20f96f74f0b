export void gauss(uniform int width, uniform int height, uniform const float weights[],
                  uniform const float image[], uniform float blurred[])
{
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            float sum = 0.0f;
            for (uniform int j = 0; j < 5; j++)
                for (uniform int i = 0; i < 5; i++)
                    sum += weights[j * 5 + i] * image[(y + j) * (width + 4) + x + i];
            blurred[y * width + x] = sum;
        }
    }
}
