; The cold side of segments, compiled once per process.
;
; Both functions that check take the lanes from the highest to the lowest, so that the trap slots of
; the context block (context.py: kind 14, address 18) describe the lowest lane that is refused.

; Write the lowest of the lanes that trap into the context block, and return the lanes. `kind` is 0
; if it has been written before. (warp_block.py: workgroup 0, number of the warp 7, context 11.)
define i64 @simtlab_trap(ptr %warp, i64 %lanes, i64 %kind, i64 %pc, i64 %width) {
  %p.ctx = getelementptr i64, ptr %warp, i64 11
  %ctx = load ptr, ptr %p.ctx
  %known = icmp eq i64 %kind, 0
  br i1 %known, label %place, label %write
write:
  %p.kind = getelementptr i64, ptr %ctx, i64 14
  store i64 %kind, ptr %p.kind
  br label %place
place:
  %p.pc = getelementptr i64, ptr %ctx, i64 15
  store i64 %pc, ptr %p.pc
  %group = load i64, ptr %warp
  %p.group = getelementptr i64, ptr %ctx, i64 16
  store i64 %group, ptr %p.group
  %p.index = getelementptr i64, ptr %warp, i64 7
  %index = load i64, ptr %p.index
  %first = mul i64 %index, %width
  %lane = call i64 @llvm.cttz.i64(i64 %lanes, i1 false)
  %local = add i64 %first, %lane
  %p.local = getelementptr i64, ptr %ctx, i64 17
  store i64 %local, ptr %p.local
  ret i64 %lanes
}

; Copy the four slots (base, size, delta, writable) of the live buffer that holds `size` bytes at a
; simulated address to `found`, and return 1; return 0 if no buffer does.
define i64 @simtlab_buffer(ptr %ctx, i64 %address, i64 %size, ptr %found) {
entry:
  %p.table = getelementptr i64, ptr %ctx, i64 2
  %table = load ptr, ptr %p.table
  %p.n = getelementptr i64, ptr %ctx, i64 3
  %n = load i64, ptr %p.n
  br label %search
search:
  %i = phi i64 [ 0, %entry ], [ %i.next, %other ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %look, label %outside
look:
  %at = mul i64 %i, 4
  %p.base = getelementptr i64, ptr %table, i64 %at
  %base = load i64, ptr %p.base
  %p.bytes = getelementptr i64, ptr %p.base, i64 1
  %bytes = load i64, ptr %p.bytes
  %offset = sub i64 %address, %base
  %room = sub i64 %bytes, %size
  %large = icmp uge i64 %bytes, %size
  %in = icmp ule i64 %offset, %room
  %hit = and i1 %large, %in
  br i1 %hit, label %copy, label %other
other:
  %i.next = add i64 %i, 1
  br label %search
copy:
  %slots = load <4 x i64>, ptr %p.base, align 8
  store <4 x i64> %slots, ptr %found, align 8
  ret i64 1
outside:
  ret i64 0
}

; Replace the simulated addresses of the lanes by host addresses; return the lanes refused, which
; keep their addresses. `mode` is 1 for stores.
define i64 @simtlab_resolve(ptr %ctx, i64 %mask, ptr %addresses, i64 %size, i32 %mode) {
entry:
  br label %loop
loop:
  %m = phi i64 [ %mask, %entry ], [ %m.next, %next ]
  %refused = phi i64 [ 0, %entry ], [ %refused.next, %next ]
  %none = icmp eq i64 %m, 0
  br i1 %none, label %done, label %body
done:
  ret i64 %refused
body:
  %above = call i64 @llvm.ctlz.i64(i64 %m, i1 true)
  %lane = sub i64 63, %above
  %bit = shl i64 1, %lane
  %m.next = xor i64 %m, %bit
  %p = getelementptr i64, ptr %addresses, i64 %lane
  %address = load i64, ptr %p
  %host = call i64 @simtlab_find(ptr %ctx, i64 %address, i64 %size, i32 %mode)
  %ok = icmp ne i64 %host, 0
  br i1 %ok, label %keep, label %refuse
keep:
  store i64 %host, ptr %p
  br label %next
refuse:
  br label %next
next:
  %more = phi i64 [ 0, %keep ], [ %bit, %refuse ]
  %refused.next = or i64 %refused, %more
  br label %loop
}

; Return the lanes whose offsets (i64) are not inside a segment of `bytes` bytes, or are misaligned.
define i64 @simtlab_refuse(ptr %ctx, i64 %mask, ptr %offsets, i64 %bytes, i64 %size) {
entry:
  br label %loop
loop:
  %m = phi i64 [ %mask, %entry ], [ %m.next, %next ]
  %refused = phi i64 [ 0, %entry ], [ %refused.next, %next ]
  %none = icmp eq i64 %m, 0
  br i1 %none, label %done, label %body
done:
  ret i64 %refused
body:
  %above = call i64 @llvm.ctlz.i64(i64 %m, i1 true)
  %lane = sub i64 63, %above
  %bit = shl i64 1, %lane
  %m.next = xor i64 %m, %bit
  %p = getelementptr i64, ptr %offsets, i64 %lane
  %offset = load i64, ptr %p
  %end = add i64 %offset, %size
  %in.1 = icmp sge i64 %offset, 0
  %in.2 = icmp sle i64 %end, %bytes
  %in = and i1 %in.1, %in.2
  %low = sub i64 %size, 1
  %odd = and i64 %offset, %low
  %aligned = icmp eq i64 %odd, 0
  %good = and i1 %in, %aligned
  br i1 %good, label %next, label %refuse
refuse:
  %kind = select i1 %in, i64 2, i64 1
  %p.kind = getelementptr i64, ptr %ctx, i64 14
  store i64 %kind, ptr %p.kind
  %p.address = getelementptr i64, ptr %ctx, i64 18
  store i64 %offset, ptr %p.address
  br label %next
next:
  %more = phi i64 [ 0, %body ], [ %bit, %refuse ]
  %refused.next = or i64 %refused, %more
  br label %loop
}

declare i64 @simtlab_find(ptr, i64, i64, i32)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
