kernel void dct8(uint width, uint height, global const float *restrict basis,
                 global const float *restrict x, global float *restrict y)
{
    local float block[8][8], half_done[8][8], wave[8][8];
    uint lx = get_local_id(0), ly = get_local_id(1);
    uint place = get_global_id(1) * width + get_global_id(0);
    block[ly][lx] = x[place];
    wave[ly][lx] = basis[ly * 8 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += wave[ly][k] * block[k][lx];
    half_done[ly][lx] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += half_done[ly][k] * wave[lx][k];
    y[place] = sum;
}
