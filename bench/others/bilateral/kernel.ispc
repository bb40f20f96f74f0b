export void bilateral(uniform int width, uniform int height, uniform float near,
                      uniform float alike, uniform const float image[], uniform float smooth[])
{
    uniform int row = width + 4;
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            float middle = image[(y + 2) * row + x + 2], sum = 0.0f, weights = 0.0f;
            for (uniform int j = -2; j <= 2; j++)
                for (uniform int i = -2; i <= 2; i++) {
                    float pixel = image[(y + j + 2) * row + x + i + 2];
                    float difference = pixel - middle;
                    float weight = exp(-near * (i * i + j * j) - alike * difference * difference);
                    sum += weight * pixel;
                    weights += weight;
                }
            smooth[y * width + x] = sum / weights;
        }
    }
}
