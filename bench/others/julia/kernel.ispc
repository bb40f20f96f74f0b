export void julia(uniform int width, uniform int height, uniform int limit, uniform double real,
                  uniform double imaginary, uniform uint32 count[])
{
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            double a = ((double)x / width - 0.5d) * 3.0d;
            double b = ((double)y / height - 0.5d) * 2.0d;
            int steps = 0;
            while (steps < limit) {
                double aa = a * a, bb = b * b;
                if (aa + bb > 4.0d)
                    break;
                b = 2.0d * a * b + imaginary;
                a = aa - bb + real;
                steps++;
            }
            count[y * width + x] = steps;
        }
    }
}
