export void parquet(uniform int pages, uniform int values, uniform const uint8 data[],
                    uniform const uint32 start[], uniform const uint32 dictionary[],
                    uniform uint32 out[])
{
    foreach (p = 0 ... pages) {
        int at = start[p];
        int done = 0;
        while (done < values) {
            uint32 head = 0;
            uint32 shift = 0;
            uint32 byte = 0;
            do {
                byte = (uint32)(uint32)data[at];
                at++;
                head = head | (byte & 127) << shift;
                shift += 7;
            }
            while (byte >= 128);
            int many = head >> 1;
            if ((head & 1) == 0) {
                uint32 code = (uint32)(uint32)data[at];
                at++;
                uint32 word = dictionary[code];
                for (int k = 0; k < many; k++)
                    out[p * values + done + k] = word;
                done += many;
            } else {
                for (int octet = 0; octet < many; octet++) {
                    uint64 bits = 0;
                    for (int k = 0; k < 5; k++)
                        bits = bits | ((uint64)(uint32)data[at + k]) << k * 8;
                    at += 5;
                    for (int k = 0; k < 8; k++) {
                        uint32 code = ((uint32)(bits >> k * 5)) & 31;
                        out[p * values + done + k] = dictionary[code];
                    }
                    done += 8;
                }
            }
        }
    }
}
