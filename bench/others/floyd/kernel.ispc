export void floyd(uniform int n, uniform int k, uniform uint32 length[])
{
    foreach (row = 0 ... n, column = 0 ... n) {
        uint32 over = length[row * n + k] + length[k * n + column];
        length[row * n + column] = min(length[row * n + column], over);
    }
}
