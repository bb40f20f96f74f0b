kernel void normalise(uint n, global float *restrict x, global float *restrict y,
                      global float *restrict z)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float a = x[i], b = y[i], c = z[i], length = sqrt(a * a + b * b + c * c);
    x[i] = a / length;
    y[i] = b / length;
    z[i] = c / length;
}
