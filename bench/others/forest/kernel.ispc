export void forest(uniform int n, uniform int trees, uniform int inner, uniform int features,
                   uniform const uint32 feature[], uniform const float bound[],
                   uniform const float leaf[], uniform const float sample[], uniform float sum[])
{
    foreach (i = 0 ... n) {
        float total = 0.0f;
        for (uniform int tree = 0; tree < trees; tree++) {
            int node = 0;
            while (node < inner) {
                int k = tree * inner + node;
                int f = feature[k];
                node = 2 * node + (sample[i * features + f] > bound[k] ? 2 : 1);
            }
            total += leaf[tree * (inner + 1) + node - inner];
        }
        sum[i] = total;
    }
}
