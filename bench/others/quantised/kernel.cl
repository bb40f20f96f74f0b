kernel void quantised(uint inputs, uint outputs, float scale, global const char *restrict x,
                      global const char *restrict weights, global const int *restrict bias,
                      global char *restrict y)
{
    uint o = get_global_id(0);
    if (o >= outputs)
        return;
    int sum = bias[o];
    for (uint k = 0; k < inputs; k++)
        sum += (int)x[k] * weights[k * outputs + o];
    y[o] = (char)clamp(rint((float)sum * scale), -128.0f, 127.0f);
}
