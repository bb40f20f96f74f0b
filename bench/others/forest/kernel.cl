kernel void forest(uint n, uint trees, uint inner, uint features,
                   global const uint *restrict feature, global const float *restrict bound,
                   global const float *restrict leaf, global const float *restrict sample,
                   global float *restrict sum)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float total = 0.0f;
    for (uint tree = 0; tree < trees; tree++) {
        uint node = 0;
        while (node < inner) {
            uint k = tree * inner + node;
            node = 2 * node + 1 + (sample[i * features + feature[k]] > bound[k]);
        }
        total += leaf[tree * (inner + 1) + node - inner];
    }
    sum[i] = total;
}
