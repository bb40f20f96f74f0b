export void exprtree(uniform int n, uniform const uint32 op[], uniform const uint32 left[],
                     uniform const uint32 right[], uniform const uint32 root[],
                     uniform const uint32 x[], uniform const uint32 y[], uniform uint32 value[])
{
    foreach (i = 0 ... n) {
        uint32 todo[16], values[16];
        uint32 waiting = 1, count = 0;
        todo[0] = root[i];
        while (waiting > 0) {
            waiting--;
            uint32 node = todo[waiting];
            if (node >> 31) {
                count--;
                uint32 a = values[count - 1], b = values[count], o = op[node & 0x7fffffff], r;
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
                uint32 o = op[node];
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
}
