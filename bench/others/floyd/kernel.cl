kernel void floyd(uint n, uint k, global uint *length_)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= n || row >= n)
        return;
    uint over = length_[row * n + k] + length_[k * n + column];
    length_[row * n + column] = min(length_[row * n + column], over);
}
