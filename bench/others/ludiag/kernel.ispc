#define SIDE 16

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void ludiag(uniform int blocks, uniform float matrices[])
{
    for (uniform int which = 0; which < blocks; which++) {
        uniform float *uniform m = matrices + which * SIDE * SIDE;
        for (uniform int i = 0; i < SIDE - 1; i++) {
            foreach (t = i + 1 ... SIDE) {
                float sum = m[t * SIDE + i];
                for (uniform int j = 0; j < i; j++)
                    sum -= m[t * SIDE + j] * m[j * SIDE + i];
                m[t * SIDE + i] = sum / m[i * SIDE + i];
            }
            foreach (t = i + 1 ... SIDE) {
                float sum = m[(i + 1) * SIDE + t];
                for (uniform int j = 0; j <= i; j++)
                    sum -= m[(i + 1) * SIDE + j] * m[j * SIDE + t];
                m[(i + 1) * SIDE + t] = sum;
            }
        }
    }
}
