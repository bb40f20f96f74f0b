; The cold side of generated code: accesses lane by lane, compiled once per process.
;
; A function that finds a fault sets the trap slots of the context block (context.py: kind 14,
; address 18) and returns the lane plus one; 0 means that all lanes are done. All registers but that
; of the result are as they were before (cold.py).

; Return the row of the buffer that has `size` bytes at a simulated address, or null. `mode` is 0 for
; loads, 1 for stores, 2 for atomics and 3 for loads from buffers that permit nothing else. A row says
; last what its buffer permits: 0 loads, 1 all but mode 3, and any other number has bit `mode` + 1 set
; for what it permits (context.py).
define internal ptr @simtlab_row(ptr %ctx, i64 %address, i64 %size, i32 %mode) #0 {
entry:
  %p.table = getelementptr i64, ptr %ctx, i64 2
  %table.i = load i64, ptr %p.table
  %table = inttoptr i64 %table.i to ptr
  %p.n = getelementptr i64, ptr %ctx, i64 3
  %n = load i64, ptr %p.n
  br label %search
search:
  %i = phi i64 [ 0, %entry ], [ %i.next, %other ]
  %refused = phi i64 [ 1, %entry ], [ %refused.next, %other ]
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
  br i1 %hit, label %found, label %other
other:
  %refused.next = phi i64 [ %refused, %look ], [ 10, %permitted ]
  %i.next = add i64 %i, 1
  br label %search
outside:
  br label %fault
found:
  %low = sub i64 %size, 1
  %odd = and i64 %offset, %low
  %aligned = icmp eq i64 %odd, 0
  br i1 %aligned, label %permitted, label %fault
permitted:
  %p.writable = getelementptr i64, ptr %p.base, i64 3
  %writable = load i64, ptr %p.writable
  %mode.wide = zext i32 %mode to i64
  %plain = icmp ult i64 %writable, 2
  %plain.less = mul i64 %writable, 2
  %plain.bits = sub i64 9, %plain.less
  %listed.bits = lshr i64 %writable, 1
  %bits = select i1 %plain, i64 %plain.bits, i64 %listed.bits
  %bit.down = lshr i64 %bits, %mode.wide
  %bit = and i64 %bit.down, 1
  %allowed = icmp ne i64 %bit, 0
  ; Loads may find another row of the same buffer (launch/counting/contents.py).
  br i1 %allowed, label %done, label %other
done:
  ret ptr %p.base
fault:
  %kind = phi i64 [ %refused, %outside ], [ 2, %found ]
  %p.kind = getelementptr i64, ptr %ctx, i64 14
  store i64 %kind, ptr %p.kind
  %p.address = getelementptr i64, ptr %ctx, i64 18
  store i64 %address, ptr %p.address
  ret ptr null
}

; Return the host address of these bytes, or 0.
define i64 @simtlab_find(ptr %ctx, i64 %address, i64 %size, i32 %mode) #0 {
entry:
  %row = call ptr @simtlab_row(ptr %ctx, i64 %address, i64 %size, i32 %mode)
  %none = icmp eq ptr %row, null
  br i1 %none, label %done, label %found
found:
  %p.delta = getelementptr i64, ptr %row, i64 2
  %delta = load i64, ptr %p.delta
  %host = add i64 %address, %delta
  br label %done
done:
  %result = phi i64 [ 0, %entry ], [ %host, %found ]
  ret i64 %result
}

; Find a lane that is outside of its segment or misaligned, and how; 0 if there is none.
define i32 @simtlab_local_fault(ptr %ctx, i64 %mask, ptr %offsets, i64 %bytes, i64 %size) #0 {
entry:
  br label %loop
loop:
  %m = phi i64 [ %mask, %entry ], [ %m.next, %fine ]
  %none = icmp eq i64 %m, 0
  br i1 %none, label %done, label %body
done:
  ret i32 0
body:
  %lane = call i64 @llvm.cttz.i64(i64 %m, i1 false)
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
  br i1 %good, label %fine, label %fault
fine:
  %m.less = sub i64 %m, 1
  %m.next = and i64 %m, %m.less
  br label %loop
fault:
  %kind = select i1 %in, i64 2, i64 1
  %p.kind = getelementptr i64, ptr %ctx, i64 14
  store i64 %kind, ptr %p.kind
  %p.address = getelementptr i64, ptr %ctx, i64 18
  store i64 %offset, ptr %p.address
  %lane.32 = trunc i64 %lane to i32
  %result = add i32 %lane.32, 1
  ret i32 %result
}

; The same for a mask of `words` words.
define i32 @simtlab_local_fault_wide(ptr %ctx, ptr %masks, i64 %words, ptr %offsets, i64 %bytes,
                                     i64 %size) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %body, label %done
done:
  ret i32 0
body:
  %p.mask = getelementptr i64, ptr %masks, i64 %i
  %mask = load i64, ptr %p.mask
  %first = shl i64 %i, 6
  %own = getelementptr i64, ptr %offsets, i64 %first
  %result = call i32 @simtlab_local_fault(ptr %ctx, i64 %mask, ptr %own, i64 %bytes, i64 %size)
  %fine = icmp eq i32 %result, 0
  br i1 %fine, label %next, label %fault
fault:
  %first.32 = trunc i64 %first to i32
  %lane = add i32 %result, %first.32
  ret i32 %lane
next:
  %i.next = add i64 %i, 1
  br label %loop
}

; Load or store for every lane of a mask, from or to cells of the type's size. `how` is put together in
; cold.py: size | mode << 8 | kind of index << 12 | step << 16. Addresses are `base` + step * index,
; where the index is the lane's number (kind 0), u32 (1), s32 (2) or 64 bits (3).
define i32 @simtlab_move(ptr %ctx, i64 %mask, i64 %base, ptr %indices, ptr %data, i64 %how) #0 {
entry:
  %size = and i64 %how, 255
  %how.8 = lshr i64 %how, 8
  %mode.wide = and i64 %how.8, 3
  %mode = trunc i64 %mode.wide to i32
  %how.12 = lshr i64 %how, 12
  %kind = and i64 %how.12, 3
  %step = ashr i64 %how, 16
  br label %loop
loop:
  %m = phi i64 [ %mask, %entry ], [ %m.next, %next ], [ %m.rest, %single ]
  %last = phi ptr [ null, %entry ], [ %row, %next ], [ %found, %single ]
  %none = icmp eq i64 %m, 0
  br i1 %none, label %done, label %body
done:
  ret i32 0
body:
  %lane = call i64 @llvm.cttz.i64(i64 %m, i1 false)
  switch i64 %kind, label %known [ i64 1, label %unsigned
                                   i64 2, label %signed
                                   i64 3, label %wide ]
unsigned:
  %p.u = getelementptr i32, ptr %indices, i64 %lane
  %u = load i32, ptr %p.u
  %index.u = zext i32 %u to i64
  br label %known
signed:
  %p.s = getelementptr i32, ptr %indices, i64 %lane
  %s = load i32, ptr %p.s
  %index.s = sext i32 %s to i64
  br label %known
wide:
  %p.w = getelementptr i64, ptr %indices, i64 %lane
  %index.w = load i64, ptr %p.w
  br label %known
known:
  %index = phi i64 [ %lane, %body ], [ %index.u, %unsigned ], [ %index.s, %signed ],
                   [ %index.w, %wide ]
  %distance = mul i64 %index, %step
  %address = add i64 %base, %distance
  %first = icmp eq ptr %last, null
  br i1 %first, label %search, label %again
again:
  ; Most lanes are in the buffer of the lane before.
  %last.base = load i64, ptr %last
  %p.bytes = getelementptr i64, ptr %last, i64 1
  %bytes = load i64, ptr %p.bytes
  %offset = sub i64 %address, %last.base
  %room = sub i64 %bytes, %size
  %in = icmp ule i64 %offset, %room
  %low = sub i64 %size, 1
  %odd = and i64 %offset, %low
  %aligned = icmp eq i64 %odd, 0
  %hit = and i1 %in, %aligned
  br i1 %hit, label %move, label %search
search:
  %found = call ptr @simtlab_row(ptr %ctx, i64 %address, i64 %size, i32 %mode)
  %ok = icmp ne ptr %found, null
  br i1 %ok, label %all, label %fault
all:
  ; Where all lanes from this one on access neighbours in one buffer, they do so at once.
  %are.steps = icmp eq i64 %kind, 0
  %are.next = icmp eq i64 %step, %size
  %are.neighbours = and i1 %are.steps, %are.next
  %unused = call i64 @llvm.ctlz.i64(i64 %m, i1 false)
  %above = add i64 %unused, %lane
  %count = sub i64 64, %above
  %running = call i64 @llvm.ctpop.i64(i64 %m)
  %are.all = icmp eq i64 %running, %count
  %length = mul i64 %count, %size
  %found.base = load i64, ptr %found
  %p.found.bytes = getelementptr i64, ptr %found, i64 1
  %found.bytes = load i64, ptr %p.found.bytes
  %begin = sub i64 %address, %found.base
  %left = sub i64 %found.bytes, %begin
  %fit = icmp ule i64 %length, %left
  %together = and i1 %are.neighbours, %are.all
  %at.once = and i1 %together, %fit
  br i1 %at.once, label %copy, label %move
copy:
  %p.found.delta = getelementptr i64, ptr %found, i64 2
  %found.delta = load i64, ptr %p.found.delta
  %there.i = add i64 %address, %found.delta
  %there = inttoptr i64 %there.i to ptr
  %lane.at = mul i64 %lane, %size
  %here = getelementptr i8, ptr %data, i64 %lane.at
  %stores = icmp eq i32 %mode, 1
  %source = select i1 %stores, ptr %here, ptr %there
  %target = select i1 %stores, ptr %there, ptr %here
  br label %words
words:
  %done.bytes = phi i64 [ 0, %copy ], [ %more.bytes, %word ]
  %more.bytes = add i64 %done.bytes, 8
  %has.word = icmp ule i64 %more.bytes, %length
  br i1 %has.word, label %word, label %rest
word:
  %p.word = getelementptr i8, ptr %source, i64 %done.bytes
  %p.word.to = getelementptr i8, ptr %target, i64 %done.bytes
  ; Volatile: no call of memcpy, which would use vectors.
  %word.value = load volatile i64, ptr %p.word, align 1
  store volatile i64 %word.value, ptr %p.word.to, align 1
  br label %words
rest:
  ; A store of an element is one store.
  %are.done = icmp eq i64 %done.bytes, %length
  br i1 %are.done, label %done, label %single
single:
  %lanes.done = udiv i64 %done.bytes, %size
  %lane.after = add i64 %lane, %lanes.done
  %m.after = shl i64 -1, %lane.after
  %m.rest = and i64 %m, %m.after
  br label %loop
fault:
  %lane.32 = trunc i64 %lane to i32
  %result = add i32 %lane.32, 1
  ret i32 %result
move:
  %row = phi ptr [ %last, %again ], [ %found, %all ]
  %p.delta = getelementptr i64, ptr %row, i64 2
  %delta = load i64, ptr %p.delta
  %host.i = add i64 %address, %delta
  %host = inttoptr i64 %host.i to ptr
  %at = mul i64 %lane, %size
  %cell = getelementptr i8, ptr %data, i64 %at
  %is.store = icmp eq i32 %mode, 1
  %from = select i1 %is.store, ptr %cell, ptr %host
  %to = select i1 %is.store, ptr %host, ptr %cell
  switch i64 %size, label %move.8 [ i64 1, label %move.1
                                    i64 2, label %move.2
                                    i64 4, label %move.4 ]
move.1:
  %v.1 = load i8, ptr %from
  store i8 %v.1, ptr %to
  br label %next
move.2:
  %v.2 = load i16, ptr %from
  store i16 %v.2, ptr %to
  br label %next
move.4:
  %v.4 = load i32, ptr %from
  store i32 %v.4, ptr %to
  br label %next
move.8:
  %v.8 = load i64, ptr %from
  store i64 %v.8, ptr %to
  br label %next
next:
  %m.less = sub i64 %m, 1
  %m.next = and i64 %m, %m.less
  br label %loop
}

; The same for one lane. It takes and returns all through a record, so that its call costs the code
; around it one register: context block, address, how, data, result.
define void @simtlab_move_one(ptr %record) #0 {
entry:
  %ctx = load ptr, ptr %record
  %p.address = getelementptr i64, ptr %record, i64 1
  %address = load i64, ptr %p.address
  %p.how = getelementptr i64, ptr %record, i64 2
  %how = load i64, ptr %p.how
  %p.data = getelementptr i64, ptr %record, i64 3
  %result = call i32 @simtlab_move(ptr %ctx, i64 1, i64 %address, ptr null, ptr %p.data, i64 %how)
  %p.result = getelementptr i64, ptr %record, i64 4
  store i32 %result, ptr %p.result
  ret void
}

; The same for a mask of `words` words.
define i32 @simtlab_move_wide(ptr %ctx, ptr %masks, i64 %words, i64 %base, ptr %indices, ptr %data,
                              i64 %how) #0 {
entry:
  %size = and i64 %how, 255
  %how.12 = lshr i64 %how, 12
  %kind = and i64 %how.12, 3
  %step = ashr i64 %how, 16
  %is.known = icmp eq i64 %kind, 0
  %is.long = icmp eq i64 %kind, 3
  %index.size.1 = select i1 %is.long, i64 8, i64 4
  %index.size = select i1 %is.known, i64 0, i64 %index.size.1
  %own.step = select i1 %is.known, i64 %step, i64 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %body, label %done
done:
  ret i32 0
body:
  %p.mask = getelementptr i64, ptr %masks, i64 %i
  %mask = load i64, ptr %p.mask
  %first = shl i64 %i, 6
  %distance = mul i64 %first, %own.step
  %own.base = add i64 %base, %distance
  %index.at = mul i64 %first, %index.size
  %own.indices = getelementptr i8, ptr %indices, i64 %index.at
  %data.at = mul i64 %first, %size
  %own.data = getelementptr i8, ptr %data, i64 %data.at
  %result = call i32 @simtlab_move(ptr %ctx, i64 %mask, i64 %own.base, ptr %own.indices,
                                   ptr %own.data, i64 %how)
  %fine = icmp eq i32 %result, 0
  br i1 %fine, label %next, label %fault
fault:
  %first.32 = trunc i64 %first to i32
  %lane = add i32 %result, %first.32
  ret i32 %lane
next:
  %i.next = add i64 %i, 1
  br label %loop
}

; An atomic for a mask of `words` words; `one` takes a word of them.
define i32 @simtlab_atomic_wide(ptr %ctx, ptr %masks, i64 %words, ptr %one, ptr %addresses, ptr %as,
                                ptr %bs, ptr %old, i32 %known) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %body, label %done
done:
  ret i32 0
body:
  %p.mask = getelementptr i64, ptr %masks, i64 %i
  %mask = load i64, ptr %p.mask
  %first = shl i64 %i, 6
  %own.addresses = getelementptr i64, ptr %addresses, i64 %first
  %own.as = getelementptr i64, ptr %as, i64 %first
  %own.bs = getelementptr i64, ptr %bs, i64 %first
  %own.old = getelementptr i64, ptr %old, i64 %first
  %result = call i32 %one(ptr %ctx, i64 %mask, ptr %own.addresses, ptr %own.as, ptr %own.bs,
                          ptr %own.old, i32 %known) #0
  %fine = icmp eq i32 %result, 0
  br i1 %fine, label %next, label %fault
fault:
  %first.32 = trunc i64 %first to i32
  %lane = add i32 %result, %first.32
  ret i32 %lane
next:
  %i.next = add i64 %i, 1
  br label %loop
}

declare i64 @llvm.cttz.i64(i64, i1)

; Charge the running lanes of 64 for `cost` instructions; return the first one that has exceeded its
; `limit`, plus one, or 0. `before` is what was left of the warp's own budget before this charge: the
; counters of all lanes begin with zeros when it runs out. After the 64 counters come a mask, what
; its lanes are still to be charged, and how much that may be until one of them exceeds its limit:
; while the same lanes run, nothing else changes. Accesses are volatile because LLVM would clear
; with vectors, of whose registers it preserves a part only.
define i32 @simtlab_charge(ptr captures(none) %counters, i64 %mask, i64 %before, i64 %cost,
                           i64 %limit) memory(argmem: readwrite) #0 {
entry:
  %p.mask = getelementptr i64, ptr %counters, i64 64
  %p.cost = getelementptr i64, ptr %counters, i64 65
  %p.room = getelementptr i64, ptr %counters, i64 66
  %is.first = icmp ne i64 %before, 0
  br i1 %is.first, label %clear, label %compare
clear:
  %c = phi i64 [ 0, %entry ], [ %c.next, %clear ]
  %p.clear = getelementptr i64, ptr %counters, i64 %c
  store volatile i64 0, ptr %p.clear
  %c.next = add i64 %c, 1
  %c.more = icmp ult i64 %c.next, 67
  br i1 %c.more, label %clear, label %compare
compare:
  %mask.before = load volatile i64, ptr %p.mask
  %cost.before = load volatile i64, ptr %p.cost
  %room = load volatile i64, ptr %p.room
  %is.same = icmp eq i64 %mask, %mask.before
  %cost.now = add i64 %cost.before, %cost
  %fits = icmp sle i64 %cost.now, %room
  %waits = and i1 %is.same, %fits
  br i1 %waits, label %later, label %charge
later:
  store volatile i64 %cost.now, ptr %p.cost
  ret i32 0
charge:
  %i = phi i64 [ 0, %compare ], [ %i.next, %charge ]
  %over = phi i64 [ 0, %compare ], [ %over.next, %charge ]
  %least = phi i64 [ 9223372036854775807, %compare ], [ %least.next, %charge ]
  %p = getelementptr i64, ptr %counters, i64 %i
  %known = load volatile i64, ptr %p
  %bits.before = lshr i64 %mask.before, %i
  %bit.before = and i64 %bits.before, 1
  %all.before = sub i64 0, %bit.before
  %own.before = and i64 %all.before, %cost.before
  %bits = lshr i64 %mask, %i
  %bit = and i64 %bits, 1
  %all = sub i64 0, %bit
  %own = and i64 %all, %cost
  %total = add i64 %own.before, %own
  %spent = add i64 %known, %total
  store volatile i64 %spent, ptr %p
  %own.room = sub i64 %limit, %spent
  %over.next = or i64 %over, %own.room
  %runs = icmp ne i64 %bit, 0
  %is.less = icmp slt i64 %own.room, %least
  %counts = and i1 %runs, %is.less
  %least.next = select i1 %counts, i64 %own.room, i64 %least
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 64
  br i1 %more, label %charge, label %done
done:
  store volatile i64 %mask, ptr %p.mask
  store volatile i64 0, ptr %p.cost
  store volatile i64 %least.next, ptr %p.room
  %fine = icmp sge i64 %over.next, 0
  br i1 %fine, label %none, label %search
none:
  ret i32 0
search:
  %j = phi i64 [ 0, %done ], [ %j.next, %search ]
  %p.spent = getelementptr i64, ptr %counters, i64 %j
  %spent.j = load volatile i64, ptr %p.spent
  %j.next = add i64 %j, 1
  %is.over = icmp ugt i64 %spent.j, %limit
  br i1 %is.over, label %found, label %search
found:
  %lane = trunc i64 %j.next to i32
  ret i32 %lane
}

; The same for a mask of `words` words. Each has 67 words of counters.
define i32 @simtlab_charge_wide(ptr captures(none) %counters, ptr captures(none) %masks, i64 %words,
                                i64 %before, i64 %cost, i64 %limit) memory(argmem: readwrite) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
  %first = phi i32 [ 0, %entry ], [ %first.next, %body ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %body, label %done
body:
  %p.mask = getelementptr i64, ptr %masks, i64 %i
  %mask = load i64, ptr %p.mask
  %at = mul i64 %i, 67
  %own = getelementptr i64, ptr %counters, i64 %at
  %found = call i32 @simtlab_charge(ptr %own, i64 %mask, i64 %before, i64 %cost, i64 %limit)
  %lane = shl i64 %i, 6
  %lane.32 = trunc i64 %lane to i32
  %number = add i32 %found, %lane.32
  %is.found = icmp ne i32 %found, 0
  %is.none = icmp eq i32 %first, 0
  %is.first = and i1 %is.found, %is.none
  %first.next = select i1 %is.first, i32 %number, i32 %first
  %i.next = add i64 %i, 1
  br label %loop
done:
  ret i32 %first
}
