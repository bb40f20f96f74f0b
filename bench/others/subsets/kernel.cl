kernel void subsets(uint n, global const uint *restrict number, global const uint *restrict target,
                    global uint *restrict ways)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint stack[32], rest[13];
    uint base = i * 12, wanted = target[i], level = 1, count = 0, sum = 0;
    for (uint k = 12; k > 0; k--) {
        rest[k] = sum;
        sum += number[base + k - 1];
    }
    rest[0] = sum;
    stack[0] = 0;
    while (level > 0) {
        level--;
        uint at = stack[level] >> 16, have = stack[level] & 0xffff;
        if (have == wanted) {
            count++;
            continue;
        }
        if (have > wanted || have + rest[at] < wanted)
            continue;
        uint with = have + number[base + at];
        at++;
        stack[level] = at << 16 | have;
        stack[level + 1] = at << 16 | with;
        level += 2;
    }
    ways[i] = count;
}
