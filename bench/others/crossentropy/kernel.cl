kernel void crossentropy(uint rows, uint classes, global const float *restrict x,
                         global const uint *restrict label, global float *restrict loss)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    global const float *scores = x + row * classes;
    float largest = scores[0], sum = 0.0f;
    for (uint k = 1; k < classes; k++)
        largest = fmax(largest, scores[k]);
    for (uint k = 0; k < classes; k++)
        sum += exp(scores[k] - largest);
    loss[row] = log(sum) + largest - scores[label[row]];
}
