export void gramschmidt(uniform int n, uniform float a[], uniform float r[])
{
    foreach (i = 0 ... n) {
        float q[16];
        for (uniform int k = 0; k < 16; k++)
            q[k] = a[k * n + i];
        for (uniform int j = 0; j < 4; j++) {
            float square = 0;
            for (uniform int k = 0; k < 4; k++)
                square += q[k * 4 + j] * q[k * 4 + j];
            float length = sqrt(square);
            r[(j * 4 + j) * n + i] = length;
            for (uniform int k = 0; k < 4; k++)
                q[k * 4 + j] /= length;
            for (uniform int c = j + 1; c < 4; c++) {
                float dot = 0;
                for (uniform int k = 0; k < 4; k++)
                    dot += q[k * 4 + j] * q[k * 4 + c];
                r[(j * 4 + c) * n + i] = dot;
                for (uniform int k = 0; k < 4; k++)
                    q[k * 4 + c] -= dot * q[k * 4 + j];
            }
        }
        for (uniform int k = 0; k < 16; k++)
            a[k * n + i] = q[k];
    }
}
