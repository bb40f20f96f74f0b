kernel void qr3(uint n, global const float *restrict a, global float *restrict q,
                global float *restrict r)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float m[9];
    for (uint k = 0; k < 9; k++)
        m[k] = a[9 * i + k];
    uint place = 6 * i;
    for (uint c = 0; c < 3; c++) {
        float length = sqrt(m[c] * m[c] + m[c + 3] * m[c + 3] + m[c + 6] * m[c + 6]);
        r[place++] = length;
        m[c] /= length;
        m[c + 3] /= length;
        m[c + 6] /= length;
        for (uint d = c + 1; d < 3; d++) {
            float dot_ = m[c] * m[d] + m[c + 3] * m[d + 3] + m[c + 6] * m[d + 6];
            r[place++] = dot_;
            m[d] -= dot_ * m[c];
            m[d + 3] -= dot_ * m[c + 3];
            m[d + 6] -= dot_ * m[c + 6];
        }
    }
    for (uint k = 0; k < 9; k++)
        q[9 * i + k] = m[k];
}
