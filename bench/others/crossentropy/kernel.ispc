export void crossentropy(uniform int rows, uniform int classes, uniform const float x[],
                         uniform const uint32 label[], uniform float loss[])
{
    foreach (row = 0 ... rows) {
        int first = row * classes;
        float largest = x[first], sum = 0.0f;
        for (uniform int k = 1; k < classes; k++)
            largest = max(largest, x[first + k]);
        for (uniform int k = 0; k < classes; k++)
            sum += exp(x[first + k] - largest);
        loss[row] = log(sum) + largest - x[first + label[row]];
    }
}
