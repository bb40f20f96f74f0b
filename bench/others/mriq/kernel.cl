kernel void q(uint n, uint samples, global const float4 *restrict k, global const float *restrict x,
              global const float *restrict y, global const float *restrict z,
              global float *restrict real, global float *restrict imaginary)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float px = x[i], py = y[i], pz = z[i], re = 0.0f, im = 0.0f;
    for (uint s = 0; s < samples; s++) {
        float4 sample = k[s];
        float phase = 6.2831853071795864769f * (sample.x * px + sample.y * py + sample.z * pz);
        re += sample.w * cos(phase);
        im += sample.w * sin(phase);
    }
    real[i] = re;
    imaginary[i] = im;
}
