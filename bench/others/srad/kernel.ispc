export void coefficient(uniform int n, uniform float q0, uniform const float image[],
                        uniform float north[], uniform float south[], uniform float west[],
                        uniform float east[], uniform float c[])
{
    foreach (y = 0 ... n, x = 0 ... n) {
        int above = max(y, 1) - 1, below = min(y + 1, n - 1);
        int left = max(x, 1) - 1, right = min(x + 1, n - 1);
        int i = y * n + x;
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
}

export void update(uniform int n, uniform float lambda, uniform float image[],
                   uniform const float north[], uniform const float south[],
                   uniform const float west[], uniform const float east[],
                   uniform const float c[])
{
    foreach (y = 0 ... n, x = 0 ... n) {
        int below = min(y + 1, n - 1), right = min(x + 1, n - 1);
        int i = y * n + x;
        float own = c[i];
        float d = own * north[i] + c[below * n + x] * south[i] + own * west[i]
                  + c[y * n + right] * east[i];
        image[i] += 0.25f * lambda * d;
    }
}
