float cell(float place)
{
    return place - 4.0f * floor(place * 0.25f) - 2.0f;
}

kernel void raymarch(uint width, uint height, uint limit, global float *restrict far)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float u = ((float)x + 0.5f) / (float)width * 2.0f - 1.0f;
    float v = (((float)y + 0.5f) / (float)height * 2.0f - 1.0f) * 0.5f;
    float w = 1.0f / sqrt(u * u + v * v + 1.0f), gone = 0.0f;
    u *= w;
    v *= w;
    for (uint step = 0; step < limit; step++) {
        float py = 2.0f + gone * v;
        float a = cell(2.0f + gone * u), b = cell(py), c = cell(gone * w);
        float distance = fmin(sqrt(a * a + b * b + c * c) - 0.8f, py + 3.0f);
        if (distance < 0.001f || gone > 40.0f)
            break;
        gone += distance;
    }
    far[y * width + x] = gone;
}
