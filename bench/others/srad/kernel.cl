kernel void coefficient(uint n, float q0, global const float *restrict image,
                        global float *restrict north, global float *restrict south,
                        global float *restrict west, global float *restrict east,
                        global float *restrict c)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n)
        return;
    uint above = max(y, 1u) - 1, below = min(y + 1, n - 1);
    uint left = max(x, 1u) - 1, right = min(x + 1, n - 1);
    uint i = y * n + x;
    float own = image[i];
    float dn = image[above * n + x] - own, ds = image[below * n + x] - own;
    float dw = image[y * n + left] - own, de = image[y * n + right] - own;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (own * own);
    float l = (dn + ds + dw + de) / own;
    float num = 0.5f * g2 - 0.0625f * (l * l);
    float den = 1.0f + 0.25f * l;
    float q = num / (den * den);
    den = (q - q0) / (q0 * (1.0f + q0));
    north[i] = dn;
    south[i] = ds;
    west[i] = dw;
    east[i] = de;
    c[i] = min(max(1.0f / (1.0f + den), 0.0f), 1.0f);
}

kernel void update(uint n, float lambda, global float *restrict image,
                   global const float *restrict north, global const float *restrict south,
                   global const float *restrict west, global const float *restrict east,
                   global const float *restrict c)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n)
        return;
    uint below = min(y + 1, n - 1), right = min(x + 1, n - 1);
    uint i = y * n + x;
    float own = c[i];
    float d = own * north[i] + c[below * n + x] * south[i] + own * west[i]
              + c[y * n + right] * east[i];
    image[i] += 0.25f * lambda * d;
}
