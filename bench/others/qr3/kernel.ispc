export void qr3(uniform int n, uniform const float a[], uniform float q[], uniform float r[])
{
    foreach (i = 0 ... n) {
        float m[9];
        for (uniform int k = 0; k < 9; k++)
            m[k] = a[9 * i + k];
        uniform int place = 0;
        for (uniform int c = 0; c < 3; c++) {
            float length = sqrt(m[c] * m[c] + m[c + 3] * m[c + 3] + m[c + 6] * m[c + 6]);
            r[6 * i + place++] = length;
            m[c] /= length;
            m[c + 3] /= length;
            m[c + 6] /= length;
            for (uniform int d = c + 1; d < 3; d++) {
                float product = m[c] * m[d] + m[c + 3] * m[d + 3] + m[c + 6] * m[d + 6];
                r[6 * i + place++] = product;
                m[d] -= product * m[c];
                m[d + 3] -= product * m[c + 3];
                m[d + 6] -= product * m[c + 6];
            }
        }
        for (uniform int k = 0; k < 9; k++)
            q[9 * i + k] = m[k];
    }
}
