kernel void parquet(uint pages, uint values, global const uchar *restrict data,
                    global const uint *restrict start, global const uint *restrict dictionary,
                    global uint *restrict out)
{
    if (get_global_id(0) >= pages)
        return;
    uint p = get_global_id(0);
    uint at = start[p];
    uint done = 0;
    while (done < values) {
        uint head = 0;
        uint shift = 0;
        uint byte = 0;
        do {
            byte = (uint)data[at];
            at++;
            head = head | (byte & 127) << shift;
            shift += 7;
        }
        while (byte >= 128);
        uint many = head >> 1;
        if ((head & 1) == 0) {
            uint code = (uint)data[at];
            at++;
            uint word = dictionary[code];
            for (uint k = 0; k < many; k++)
                out[p * values + done + k] = word;
            done += many;
        } else {
            for (uint octet = 0; octet < many; octet++) {
                ulong bits = 0;
                for (uint k = 0; k < 5; k++)
                    bits = bits | (ulong)data[at + k] << k * 8;
                at += 5;
                for (uint k = 0; k < 8; k++) {
                    uint code = ((uint)(bits >> k * 5)) & 31;
                    out[p * values + done + k] = dictionary[code];
                }
                done += 8;
            }
        }
    }
}
