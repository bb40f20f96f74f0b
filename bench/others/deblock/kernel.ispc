export void deblock(uniform int edges, uniform int h, uniform int pitch, uniform int32 alpha,
                    uniform int32 beta, uniform uint8 image[])
{
    foreach (y = 0 ... h, x = 0 ... edges) {
        int at = y * pitch + (x + 1) * 8;
        int p2 = image[at - 3], p1 = image[at - 2], p0 = image[at - 1];
        int q0 = image[at], q1 = image[at + 1], q2 = image[at + 2];
        int gap = p0 - q0, pd = p1 - p0, qd = q1 - q0;
        gap = gap < 0 ? -gap : gap;
        pd = pd < 0 ? -pd : pd;
        qd = qd < 0 ? -qd : qd;
        if (gap < alpha && pd < beta && qd < beta) {
            int pe = p2 - p0, qe = q2 - q0, most = 2;
            pe = pe < 0 ? -pe : pe;
            qe = qe < 0 ? -qe : qe;
            int middle = (p0 + q0 + 1) >> 1;
            if (pe < beta) {
                image[at - 2] = (uint8)(p1 + min(max((p2 + middle - p1 * 2) >> 1, -2), 2));
                most++;
            }
            if (qe < beta) {
                image[at + 1] = (uint8)(q1 + min(max((q2 + middle - q1 * 2) >> 1, -2), 2));
                most++;
            }
            int d = min(max((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3, -most), most);
            image[at - 1] = (uint8)min(max(p0 + d, 0), 255);
            image[at] = (uint8)min(max(q0 - d, 0), 255);
        }
    }
}
