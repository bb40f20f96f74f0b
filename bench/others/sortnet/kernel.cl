#define ORDER(a, b) { int least = min(v[a], v[b]); v[b] = max(v[a], v[b]); v[a] = least; }

kernel void sortnet(uint n, global int *restrict x)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    int v[8];
    for (int k = 0; k < 8; k++)
        v[k] = x[k * n + i];
    ORDER(0, 1); ORDER(2, 3); ORDER(4, 5); ORDER(6, 7); ORDER(0, 2); ORDER(1, 3); ORDER(4, 6);
    ORDER(5, 7); ORDER(1, 2); ORDER(5, 6); ORDER(0, 4); ORDER(1, 5); ORDER(2, 6); ORDER(3, 7);
    ORDER(2, 4); ORDER(3, 5); ORDER(1, 2); ORDER(3, 4); ORDER(5, 6);
    for (int k = 0; k < 8; k++)
        x[k * n + i] = v[k];
}
