export void subsets(uniform int n, uniform const uint32 number[], uniform const uint32 target[],
                    uniform uint32 ways[])
{
    foreach (i = 0 ... n) {
        uint32 stack[32], rest[13];
        uint32 base = i * 12, wanted = target[i], level = 1, count = 0, sum = 0;
        for (uniform int k = 12; k > 0; k--) {
            rest[k] = sum;
            sum += number[base + k - 1];
        }
        rest[0] = sum;
        stack[0] = 0;
        while (level > 0) {
            level--;
            uint32 at = stack[level] >> 16, have = stack[level] & 0xffff;
            if (have == wanted) {
                count++;
                continue;
            }
            if (have > wanted || have + rest[at] < wanted)
                continue;
            uint32 more = have + number[base + at];
            at++;
            stack[level] = (at << 16) | have;
            stack[level + 1] = (at << 16) | more;
            level += 2;
        }
        ways[i] = count;
    }
}
