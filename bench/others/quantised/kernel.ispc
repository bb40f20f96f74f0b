export void quantised(uniform int inputs, uniform int outputs, uniform float scale,
                      uniform const int8 x[], uniform const int8 weights[],
                      uniform const int bias[], uniform int8 y[])
{
    foreach (o = 0 ... outputs) {
        int sum = bias[o];
        for (uniform int k = 0; k < inputs; k++)
            sum += (int)x[k] * weights[k * outputs + o];
        y[o] = (int8)clamp(round(sum * scale), -128.0f, 127.0f);
    }
}
