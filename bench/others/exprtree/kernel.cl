kernel void exprtree(uint n, global const uint *restrict op, global const uint *restrict left,
                     global const uint *restrict right, global const uint *restrict root,
                     global const uint *restrict x, global const uint *restrict y,
                     global uint *restrict value)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint todo[16], values[16];
    uint waiting = 1, count = 0;
    todo[0] = root[i];
    while (waiting > 0) {
        waiting--;
        uint node = todo[waiting];
        if (node >> 31) {
            count--;
            uint a = values[count - 1], b = values[count], o = op[node & 0x7fffffff], r;
            if (o == 3)
                r = a + b;
            else if (o == 4)
                r = a - b;
            else if (o == 5)
                r = a * b;
            else
                r = max(a, b);
            values[count - 1] = r;
        } else {
            uint o = op[node];
            if (o < 3) {
                values[count] = o == 0 ? left[node] : o == 1 ? x[i] : y[i];
                count++;
            } else {
                todo[waiting] = node | 0x80000000;
                todo[waiting + 1] = right[node];
                todo[waiting + 2] = left[node];
                waiting += 3;
            }
        }
    }
    value[i] = values[0];
}
