kernel void julia(uint width, uint height, uint limit, double real, double imaginary,
                  global uint *restrict count)
{
    uint x = get_global_id(0), y = get_global_id(1), steps = 0;
    if (x >= width || y >= height)
        return;
    double a = ((double)x / width - 0.5) * 3.0, b = ((double)y / height - 0.5) * 2.0;
    while (steps < limit) {
        double aa = a * a, bb = b * b;
        if (aa + bb > 4.0)
            break;
        b = 2.0 * a * b + imaginary;
        a = aa - bb + real;
        steps++;
    }
    count[y * width + x] = steps;
}
