struct Sample {
    float x, y, z, phi;
};

export void q(uniform int n, uniform int samples, uniform const Sample k[], uniform const float x[],
              uniform const float y[], uniform const float z[], uniform float real[],
              uniform float imaginary[])
{
    foreach (i = 0 ... n) {
        float px = x[i], py = y[i], pz = z[i], re = 0.0f, im = 0.0f;
        for (uniform int s = 0; s < samples; s++) {
            float phase = 6.2831853071795864769f * (k[s].x * px + k[s].y * py + k[s].z * pz);
            float sine, cosine;
            sincos(phase, &sine, &cosine);
            re += k[s].phi * cosine;
            im += k[s].phi * sine;
        }
        real[i] = re;
        imaginary[i] = im;
    }
}
