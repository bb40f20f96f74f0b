export void covariance(uniform int columns, uniform int rows, uniform const float data[],
                       uniform float c[])
{
    foreach (j = 0 ... columns) {
        for (int k = j; k < columns; k++) {
            float sum = 0.0f;
            for (uniform int i = 0; i < rows; i++)
                sum += data[i * columns + j] * data[i * columns + k];
            sum /= (float)(rows - 1);
            c[j * columns + k] = sum;
            c[k * columns + j] = sum;
        }
    }
}
