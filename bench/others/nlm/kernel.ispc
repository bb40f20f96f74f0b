export void nlm(uniform int width, uniform int height, uniform float alike,
                uniform const float image[], uniform float smooth[])
{
    uniform int row = width + 8;
    foreach (y = 0 ... height, x = 0 ... width) {
        int here = (y + 4) * row + x + 4;
        float sum = 0.0f, weights = 0.0f;
        for (uniform int dy = -3; dy <= 3; dy++)
            for (uniform int dx = -3; dx <= 3; dx++) {
                int there = here + dy * row + dx;
                float difference = 0.0f;
                for (uniform int j = -1; j <= 1; j++)
                    for (uniform int i = -1; i <= 1; i++) {
                        float d = image[here + j * row + i] - image[there + j * row + i];
                        difference += d * d;
                    }
                float weight = exp(-difference * alike);
                sum += weight * image[there];
                weights += weight;
            }
        smooth[y * width + x] = sum / weights;
    }
}
