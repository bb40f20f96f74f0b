; What the post-dominator stack would execute, from the ways that each lane goes at branches.
;
; Native code keeps entries of two words in the log of a block (paths.py has its places): the lanes
; that were at a branch, and those of them that jumped; or 0, and up to 32 branches of one lane. This
; function moves them to a queue of bits for each lane. Then it runs the stack of each of the
; launch's warps, until lanes that run need bits that are not there yet. It returns 1 if a queue is
; full: then the launch must be counted otherwise.
;
; @W@ is a number of lanes that the launch's warps do not exceed.

define i32 @simtlab_paths_@W@(ptr %block, i64 %end, i64 %final) #0 {
entry:
  %p.counts = getelementptr i8, ptr %block, i64 @COUNTS@
  %counts = load ptr, ptr %p.counts
  %p.starting = getelementptr i8, ptr %block, i64 @STARTING@
  %starting = load i64, ptr %p.starting
  %p.warps = getelementptr i8, ptr %block, i64 @WARPS@
  %warps = load i64, ptr %p.warps
  %p.width = getelementptr i8, ptr %block, i64 @WIDTH@
  %width = load i64, ptr %p.width
  %p.nodes = getelementptr i8, ptr %block, i64 @NODES@
  %nodes = load ptr, ptr %p.nodes
  %p.chunks = getelementptr i8, ptr %block, i64 @CHUNKS@
  %chunks = load ptr, ptr %p.chunks
  %p.histogram = getelementptr i8, ptr %block, i64 @HISTOGRAM@
  %histogram = load ptr, ptr %p.histogram
  %p.first = getelementptr i8, ptr %block, i64 @FIRST@
  %first = load i64, ptr %p.first
  %p.states = getelementptr i8, ptr %block, i64 @STATES@
  %states = load ptr, ptr %p.states
  %p.queues = getelementptr i8, ptr %block, i64 @QUEUES@
  %queues = load ptr, ptr %p.queues
  %p.log = getelementptr i8, ptr %block, i64 @LOG@
  %log = load i64, ptr %p.log
  %spare.lanes = sub i64 64, %width
  %every = lshr i64 -1, %spare.lanes
  %every.w = trunc i64 %every to i@W@
  %every.v = bitcast i@W@ %every.w to <@W@ x i1>
  br label %warp.head

warp.head:
  %w = phi i64 [ 0, %entry ], [ %w.next, %warp.next ]
  %more.warps = icmp ult i64 %w, %warps
  br i1 %more.warps, label %warp.body, label %done
done:
  ret i32 0
failed:
  ret i32 1
warp.next:
  %w.next = add i64 %w, 1
  br label %warp.head
warp.body:
  %lane.0 = mul i64 %w, %width
  %own.starting.up = lshr i64 %starting, %lane.0
  %own.starting = and i64 %own.starting.up, %every
  %is.used = icmp ne i64 %own.starting, 0
  br i1 %is.used, label %warp.run, label %warp.next
warp.run:
  %state.at = mul i64 %w, @STATE_BYTES@
  %state = getelementptr i8, ptr %states, i64 %state.at
  %queue.at = mul i64 %lane.0, @QUEUE_BYTES@
  %queue = getelementptr i8, ptr %queues, i64 %queue.at
  %p.fill = getelementptr i8, ptr %state, i64 @FILL@
  %p.tail = getelementptr i8, ptr %state, i64 @TAIL@
  %p.acc = getelementptr i8, ptr %state, i64 @ACC@
  %p.pos = getelementptr i8, ptr %state, i64 @POS@
  %p.have = getelementptr i8, ptr %state, i64 @HAVE@
  %p.depth = getelementptr i8, ptr %state, i64 @DEPTH@
  %p.steps = getelementptr i8, ptr %state, i64 @STEPS@
  %stack = getelementptr i8, ptr %state, i64 @STACK@
  %depth.0 = load i64, ptr %p.depth
  switch i64 %depth.0, label %room [ i64 0, label %begin i64 -1, label %over ]
over:
  ; All its lanes have returned before; native code has run what was left since then.
  %over.depth = sub i64 %final, 1
  store i64 %over.depth, ptr %p.depth
  br label %warp.next
begin:
  ; A warp begins: one entry, at the first node, with nothing to compare with.
  store i64 %first, ptr %stack
  %p.join.0 = getelementptr i64, ptr %stack, i64 1
  store i64 -1, ptr %p.join.0
  %p.mask.0 = getelementptr i64, ptr %stack, i64 2
  store i64 %own.starting, ptr %p.mask.0
  store i64 1, ptr %p.depth
  store i64 0, ptr %p.steps
  %p.started = getelementptr i64, ptr %counts, i64 @STARTED@
  %started = load i64, ptr %p.started
  %started.1 = add i64 %started, 1
  store i64 %started.1, ptr %p.started
  %p.started.lanes = getelementptr i64, ptr %p.started, i64 1
  %started.lanes = load i64, ptr %p.started.lanes
  %starters = call i64 @llvm.ctpop.i64(i64 %own.starting)
  %started.lanes.1 = add i64 %started.lanes, %starters
  store i64 %started.lanes.1, ptr %p.started.lanes
  br label %room

  ; Make room for all that a log may add to a queue.
room:
  %tail.room = load <@W@ x i32>, ptr %p.tail
  %crowded = icmp ugt <@W@ x i32> %tail.room, splat (i32 @CROWDED@)
  %crowded.word = bitcast <@W@ x i1> %crowded to i@W@
  %is.crowded = icmp ne i@W@ %crowded.word, 0
  br i1 %is.crowded, label %compact, label %drain
compact:
  %c.lane = phi i64 [ 0, %room ], [ %c.lane.next, %compact.next ]
  %c.pos.p = getelementptr i32, ptr %p.pos, i64 %c.lane
  %c.pos = load i32, ptr %c.pos.p
  %c.tail.p = getelementptr i32, ptr %p.tail, i64 %c.lane
  %c.tail = load i32, ptr %c.tail.p
  %c.words = lshr i32 %c.pos, 5
  %c.pos.new = and i32 %c.pos, 31
  %c.tail.new = sub i32 %c.tail, %c.words
  store i32 %c.pos.new, ptr %c.pos.p
  store i32 %c.tail.new, ptr %c.tail.p
  %c.queue.at = mul i64 %c.lane, @QUEUE_BYTES@
  %c.queue = getelementptr i8, ptr %queue, i64 %c.queue.at
  %c.words.64 = zext i32 %c.words to i64
  %c.from = getelementptr i32, ptr %c.queue, i64 %c.words.64
  br label %move.head
move.head:
  %mv.i = phi i32 [ 0, %compact ], [ %mv.i.next, %move.body ]
  %mv.more = icmp ule i32 %mv.i, %c.tail.new
  br i1 %mv.more, label %move.body, label %moved
move.body:
  %mv.i.64 = zext i32 %mv.i to i64
  %mv.from = getelementptr i32, ptr %c.from, i64 %mv.i.64
  %mv.to = getelementptr i32, ptr %c.queue, i64 %mv.i.64
  %mv.word = load i32, ptr %mv.from
  store i32 %mv.word, ptr %mv.to
  %mv.i.next = add i32 %mv.i, 1
  br label %move.head
moved:
  %c.full = icmp ugt i32 %c.tail.new, @CROWDED@
  br i1 %c.full, label %failed, label %compact.next
compact.next:
  %c.lane.next = add i64 %c.lane, 1
  %c.more = icmp ult i64 %c.lane.next, %width
  br i1 %c.more, label %compact, label %drain

  ; Move the log to the queues.
drain:
  %d.fill.0 = load <@W@ x i32>, ptr %p.fill
  %d.tail.0 = load <@W@ x i32>, ptr %p.tail
  %d.acc.0 = load <@W@ x i32>, ptr %p.acc
  br label %drain.head
drain.head:
  %d.p = phi i64 [ %log, %drain ], [ %d.p.next, %drain.next ], [ %s.p, %single.over ]
  %d.fill = phi <@W@ x i32> [ %d.fill.0, %drain ], [ %d.fill.next, %drain.next ], [ %s.fill.v, %single.over ]
  %d.tail = phi <@W@ x i32> [ %d.tail.0, %drain ], [ %d.tail.next, %drain.next ], [ %s.tail.v, %single.over ]
  %d.acc = phi <@W@ x i32> [ %d.acc.0, %drain ], [ %d.acc.next, %drain.next ], [ %s.acc.v, %single.over ]
  %d.more = icmp ult i64 %d.p, %end
  br i1 %d.more, label %drain.body, label %drained
drain.body:
  %d.entry = inttoptr i64 %d.p to ptr
  %d.mask.all = load i64, ptr %d.entry
  %d.taken.p = getelementptr i64, ptr %d.entry, i64 1
  %d.taken.all = load i64, ptr %d.taken.p
  %d.mask.up = lshr i64 %d.mask.all, %lane.0
  %d.mask = and i64 %d.mask.up, %every
  %d.is.any = icmp ne i64 %d.mask, 0
  br i1 %d.is.any, label %drain.lanes, label %drain.none
drain.none:
  %d.is.single.0 = icmp eq i64 %d.mask.all, 0
  %d.is.single.1 = icmp ne i64 %d.taken.all, 0
  %d.is.single = and i1 %d.is.single.0, %d.is.single.1
  br i1 %d.is.single, label %single, label %drain.next
drain.lanes:
  %d.taken.up = lshr i64 %d.taken.all, %lane.0
  %d.mask.w = trunc i64 %d.mask to i@W@
  %d.taken.w = trunc i64 %d.taken.up to i@W@
  %d.mask.v = bitcast i@W@ %d.mask.w to <@W@ x i1>
  %d.taken.v0 = bitcast i@W@ %d.taken.w to <@W@ x i1>
  %d.taken.v = and <@W@ x i1> %d.taken.v0, %d.mask.v
  %d.one = shl <@W@ x i32> splat (i32 1), %d.fill
  %d.bit = select <@W@ x i1> %d.taken.v, <@W@ x i32> %d.one, <@W@ x i32> zeroinitializer
  %d.acc.1 = or <@W@ x i32> %d.acc, %d.bit
  %d.step = zext <@W@ x i1> %d.mask.v to <@W@ x i32>
  %d.fill.1 = add <@W@ x i32> %d.fill, %d.step
  %d.full = icmp eq <@W@ x i32> %d.fill.1, splat (i32 32)
  %d.full.w = bitcast <@W@ x i1> %d.full to i@W@
  %d.is.full = icmp ne i@W@ %d.full.w, 0
  br i1 %d.is.full, label %drain.flush, label %drain.next
drain.flush:
  %d.at = add <@W@ x i32> %d.tail, @LANES@
  %d.places = getelementptr i32, ptr %queue, <@W@ x i32> %d.at
  call void @llvm.masked.scatter.v@W@i32.v@W@p0(<@W@ x i32> %d.acc.1, <@W@ x ptr> %d.places, i32 4, <@W@ x i1> %d.full)
  %d.one.more = zext <@W@ x i1> %d.full to <@W@ x i32>
  %d.tail.2 = add <@W@ x i32> %d.tail, %d.one.more
  %d.acc.2 = select <@W@ x i1> %d.full, <@W@ x i32> zeroinitializer, <@W@ x i32> %d.acc.1
  %d.fill.2 = select <@W@ x i1> %d.full, <@W@ x i32> zeroinitializer, <@W@ x i32> %d.fill.1
  br label %drain.next
drain.next:
  %d.fill.next = phi <@W@ x i32> [ %d.fill, %drain.none ], [ %d.fill.1, %drain.lanes ], [ %d.fill.2, %drain.flush ]
  %d.tail.next = phi <@W@ x i32> [ %d.tail, %drain.none ], [ %d.tail, %drain.lanes ], [ %d.tail.2, %drain.flush ]
  %d.acc.next = phi <@W@ x i32> [ %d.acc, %drain.none ], [ %d.acc.1, %drain.lanes ], [ %d.acc.2, %drain.flush ]
  %d.p.next = add i64 %d.p, 16
  br label %drain.head

  ; Branches of a lane alone: their bits above the lowest bit that is set, below bit 33; then the lane.
single:
  store <@W@ x i32> %d.fill, ptr %p.fill
  store <@W@ x i32> %d.tail, ptr %p.tail
  store <@W@ x i32> %d.acc, ptr %p.acc
  br label %single.head
single.head:
  %s.p = phi i64 [ %d.p, %single ], [ %s.p.next, %single.next ]
  %s.more = icmp ult i64 %s.p, %end
  br i1 %s.more, label %single.look, label %single.over
single.look:
  %s.entry = inttoptr i64 %s.p to ptr
  %s.mask = load i64, ptr %s.entry
  %s.word.p = getelementptr i64, ptr %s.entry, i64 1
  %s.word = load i64, ptr %s.word.p
  %s.none = icmp eq i64 %s.mask, 0
  %s.some = icmp ne i64 %s.word, 0
  %s.is.single = and i1 %s.none, %s.some
  br i1 %s.is.single, label %single.body, label %single.over
single.body:
  %s.lane.all = lshr i64 %s.word, 40
  %s.lane = sub i64 %s.lane.all, %lane.0
  %s.is.own = icmp ult i64 %s.lane, %width
  br i1 %s.is.own, label %single.add, label %single.next
single.add:
  %s.low = and i64 %s.word, 8589934591
  %s.zeros = call i64 @llvm.cttz.i64(i64 %s.low, i1 true)
  %s.zeros.1 = add i64 %s.zeros, 1
  %s.bits = lshr i64 %s.low, %s.zeros.1
  %s.count = sub i64 32, %s.zeros
  %s.fill.p = getelementptr i32, ptr %p.fill, i64 %s.lane
  %s.fill.32 = load i32, ptr %s.fill.p
  %s.fill = zext i32 %s.fill.32 to i64
  %s.acc.p = getelementptr i32, ptr %p.acc, i64 %s.lane
  %s.acc.32 = load i32, ptr %s.acc.p
  %s.acc = zext i32 %s.acc.32 to i64
  %s.bits.up = shl i64 %s.bits, %s.fill
  %s.all = or i64 %s.acc, %s.bits.up
  %s.total = add i64 %s.fill, %s.count
  %s.tail.p = getelementptr i32, ptr %p.tail, i64 %s.lane
  %s.tail = load i32, ptr %s.tail.p
  %s.queue.at = mul i64 %s.lane, @QUEUE_BYTES@
  %s.queue = getelementptr i8, ptr %queue, i64 %s.queue.at
  %s.tail.64 = zext i32 %s.tail to i64
  %s.place = getelementptr i32, ptr %s.queue, i64 %s.tail.64
  %s.all.32 = trunc i64 %s.all to i32
  store i32 %s.all.32, ptr %s.place
  %s.is.full = icmp uge i64 %s.total, 32
  %s.full = zext i1 %s.is.full to i32
  %s.tail.new = add i32 %s.tail, %s.full
  store i32 %s.tail.new, ptr %s.tail.p
  %s.down = select i1 %s.is.full, i64 32, i64 0
  %s.acc.new = lshr i64 %s.all, %s.down
  %s.acc.new.32 = trunc i64 %s.acc.new to i32
  store i32 %s.acc.new.32, ptr %s.acc.p
  %s.fill.new = sub i64 %s.total, %s.down
  %s.fill.new.32 = trunc i64 %s.fill.new to i32
  store i32 %s.fill.new.32, ptr %s.fill.p
  br label %single.next
single.next:
  %s.p.next = add i64 %s.p, 16
  br label %single.head
single.over:
  %s.fill.v = load <@W@ x i32>, ptr %p.fill
  %s.tail.v = load <@W@ x i32>, ptr %p.tail
  %s.acc.v = load <@W@ x i32>, ptr %p.acc
  br label %drain.head

drained:
  store <@W@ x i32> %d.fill, ptr %p.fill
  store <@W@ x i32> %d.tail, ptr %p.tail
  store <@W@ x i32> %d.acc, ptr %p.acc
  ; Words that are not full yet are read as well.
  %last.at = add <@W@ x i32> %d.tail, @LANES@
  %last.places = getelementptr i32, ptr %queue, <@W@ x i32> %last.at
  call void @llvm.masked.scatter.v@W@i32.v@W@p0(<@W@ x i32> %d.acc, <@W@ x ptr> %last.places, i32 4, <@W@ x i1> %every.v)
  %have.words = shl <@W@ x i32> %d.tail, splat (i32 5)
  %have = add <@W@ x i32> %have.words, %d.fill
  store <@W@ x i32> %have, ptr %p.have
  %depth.1 = load i64, ptr %p.depth
  %steps.0 = load i64, ptr %p.steps
  br label %top

  ; The entry on top runs.
top:
  %t.depth = phi i64 [ %depth.1, %drained ], [ %settled.depth, %settled ]
  %t.steps = phi i64 [ %steps.0, %drained ], [ %settled.steps, %settled ]
  %t.at = mul i64 %t.depth, 24
  %t.at.1 = sub i64 %t.at, 24
  %t = getelementptr i8, ptr %stack, i64 %t.at.1
  %t.node = load i64, ptr %t
  %t.join.p = getelementptr i64, ptr %t, i64 1
  %join = load i64, ptr %t.join.p
  %t.mask.p = getelementptr i64, ptr %t, i64 2
  %mask = load i64, ptr %t.mask.p
  %lanes = call i64 @llvm.ctpop.i64(i64 %mask)
  %is.compared.i = icmp ne i64 %join, -1
  %is.compared = sext i1 %is.compared.i to i64
  %has.join = icmp sge i64 %join, 0
  %join.or.0 = select i1 %has.join, i64 %join, i64 0
  %join.at = mul i64 %join.or.0, @NODE_BYTES@
  %join.node = getelementptr i8, ptr %nodes, i64 %join.at
  %join.bit.p = getelementptr i64, ptr %join.node, i64 5
  %join.bit.0 = load i64, ptr %join.bit.p
  %join.bit = select i1 %has.join, i64 %join.bit.0, i64 0
  %mask.w = trunc i64 %mask to i@W@
  %mask.v = bitcast i@W@ %mask.w to <@W@ x i1>
  %mask.step = zext <@W@ x i1> %mask.v to <@W@ x i32>
  %alone = icmp eq i64 %lanes, 1
  %one.lane = call i64 @llvm.cttz.i64(i64 %mask, i1 false)
  %one.lane.and = and i64 %one.lane, 63
  %one.pos.p = getelementptr i32, ptr %p.pos, i64 %one.lane.and
  %one.have.p = getelementptr i32, ptr %p.have, i64 %one.lane.and
  %one.queue.at = mul i64 %one.lane.and, @QUEUE_BYTES@
  %one.queue = getelementptr i8, ptr %queue, i64 %one.queue.at
  br label %run

run:
  %node = phi i64 [ %t.node, %top ], [ %next, %arrived ], [ %k.next, %chunk.arrived ]
  %steps = phi i64 [ %t.steps, %top ], [ %steps.1, %arrived ], [ %k.steps, %chunk.arrived ]
  br i1 %alone, label %chunk, label %run.one

  ; Up to 8 branches of a lane that runs alone, unless it is at the join node before.
chunk:
  %k.pos = load i32, ptr %one.pos.p
  %k.have = load i32, ptr %one.have.p
  %k.pos.8 = add i32 %k.pos, @CHUNK@
  %k.enough = icmp ule i32 %k.pos.8, %k.have
  br i1 %k.enough, label %chunk.look, label %run.one
chunk.look:
  %k.byte = lshr i32 %k.pos, 3
  %k.byte.64 = zext i32 %k.byte to i64
  %k.p = getelementptr i8, ptr %one.queue, i64 %k.byte.64
  %k.bits = load i16, ptr %k.p, align 1
  %k.shift = and i32 %k.pos, 7
  %k.shift.16 = trunc i32 %k.shift to i16
  %k.bits.1 = lshr i16 %k.bits, %k.shift.16
  %k.bits.2 = and i16 %k.bits.1, @CHUNK_MASK@
  %k.bits.64 = zext i16 %k.bits.2 to i64
  %k.row = shl i64 %node, @CHUNK@
  %k.number = or i64 %k.row, %k.bits.64
  %k.chunk = getelementptr { i64, i64 }, ptr %chunks, i64 %k.number
  %k.what = load i64, ptr %k.chunk
  %k.joins.p = getelementptr i64, ptr %k.chunk, i64 1
  %k.joins = load i64, ptr %k.joins.p
  %k.is.good.0 = icmp ne i64 %k.what, 0
  %k.meets = and i64 %k.joins, %join.bit
  %k.is.good.1 = icmp eq i64 %k.meets, 0
  %k.is.good = and i1 %k.is.good.0, %k.is.good.1
  br i1 %k.is.good, label %chunk.run, label %run.one
chunk.run:
  store i32 %k.pos.8, ptr %one.pos.p
  %k.count.p = getelementptr i64, ptr %histogram, i64 %k.number
  %k.count = load i64, ptr %k.count.p
  %k.count.1 = add i64 %k.count, 1
  store i64 %k.count.1, ptr %k.count.p
  %k.length = lshr i64 %k.what, 16
  %k.steps = add i64 %steps, %k.length
  %k.compared = and i64 %k.length, %is.compared
  %k.compared.p = getelementptr i64, ptr %counts, i64 @COMPARISONS@
  %k.compared.0 = load i64, ptr %k.compared.p
  %k.compared.1 = add i64 %k.compared.0, %k.compared
  store i64 %k.compared.1, ptr %k.compared.p
  %k.next = and i64 %k.what, 65535
  %k.arrives = icmp eq i64 %k.next, %join
  br i1 %k.arrives, label %pop, label %chunk.arrived
chunk.arrived:
  br label %run

run.one:
  %n.at = mul i64 %node, @NODE_BYTES@
  %n = getelementptr i8, ptr %nodes, i64 %n.at
  %kind = load i64, ptr %n
  %n.length.p = getelementptr i64, ptr %n, i64 1
  %length = load i64, ptr %n.length.p
  %n.fall.p = getelementptr i64, ptr %n, i64 2
  %fall = load i64, ptr %n.fall.p
  %n.target.p = getelementptr i64, ptr %n, i64 3
  %target = load i64, ptr %n.target.p
  %n.rejoin.p = getelementptr i64, ptr %n, i64 4
  %rejoin = load i64, ptr %n.rejoin.p
  %is.branch = icmp eq i64 %kind, 1
  br i1 %is.branch, label %bits, label %count
bits:
  %b.pos = load <@W@ x i32>, ptr %p.pos
  %b.have = load <@W@ x i32>, ptr %p.have
  %b.lacks.v0 = icmp uge <@W@ x i32> %b.pos, %b.have
  %b.lacks.v = and <@W@ x i1> %b.lacks.v0, %mask.v
  %b.lacks = bitcast <@W@ x i1> %b.lacks.v to i@W@
  %b.is.blocked = icmp ne i@W@ %b.lacks, 0
  br i1 %b.is.blocked, label %blocked, label %take
take:
  %b.words.at = lshr <@W@ x i32> %b.pos, splat (i32 5)
  %b.at = add <@W@ x i32> %b.words.at, @LANES@
  %b.places = getelementptr i32, ptr %queue, <@W@ x i32> %b.at
  %b.words = call <@W@ x i32> @llvm.masked.gather.v@W@i32.v@W@p0(<@W@ x ptr> %b.places, i32 4, <@W@ x i1> %every.v, <@W@ x i32> zeroinitializer)
  %b.shift = and <@W@ x i32> %b.pos, splat (i32 31)
  %b.down = lshr <@W@ x i32> %b.words, %b.shift
  %b.taken.v0 = trunc <@W@ x i32> %b.down to <@W@ x i1>
  %b.taken.v = and <@W@ x i1> %b.taken.v0, %mask.v
  %b.taken.w = bitcast <@W@ x i1> %b.taken.v to i@W@
  %b.taken = zext i@W@ %b.taken.w to i64
  %b.pos.1 = add <@W@ x i32> %b.pos, %mask.step
  store <@W@ x i32> %b.pos.1, ptr %p.pos
  br label %count

count:
  %taken = phi i64 [ 0, %run.one ], [ %b.taken, %take ]
  %e.at = mul i64 %node, 16
  %e.from = getelementptr i64, ptr %counts, i64 @EXECUTED@
  %e = getelementptr i8, ptr %e.from, i64 %e.at
  %e.runs = load i64, ptr %e
  %e.runs.1 = add i64 %e.runs, 1
  store i64 %e.runs.1, ptr %e
  %e.lanes.p = getelementptr i64, ptr %e, i64 1
  %e.lanes = load i64, ptr %e.lanes.p
  %e.lanes.1 = add i64 %e.lanes, %lanes
  store i64 %e.lanes.1, ptr %e.lanes.p
  %steps.1 = add i64 %steps, %length
  %e.compared = and i64 %length, %is.compared
  %e.compared.p = getelementptr i64, ptr %counts, i64 @COMPARISONS@
  %e.compared.0 = load i64, ptr %e.compared.p
  %e.compared.1 = add i64 %e.compared.0, %e.compared
  store i64 %e.compared.1, ptr %e.compared.p
  switch i64 %kind, label %returns [ i64 0, label %falls i64 1, label %branches ]
falls:
  br label %goes
branches:
  %off = xor i64 %taken, %mask
  %none.taken = icmp eq i64 %taken, 0
  br i1 %none.taken, label %goes, label %branches.1
branches.1:
  %none.off = icmp eq i64 %off, 0
  br i1 %none.off, label %goes.taken, label %diverges
goes.taken:
  br label %goes
goes:
  %next = phi i64 [ %fall, %falls ], [ %fall, %branches ], [ %target, %goes.taken ]
  %arrives = icmp eq i64 %next, %join
  br i1 %arrives, label %pop, label %arrived
arrived:
  br label %run
pop:
  %pop.steps = phi i64 [ %steps.1, %goes ], [ %k.steps, %chunk.run ]
  %pop.depth = sub i64 %t.depth, 1
  br label %settle

diverges:
  %v.p = getelementptr i64, ptr %counts, i64 @DIVERGENT@
  %v.0 = load i64, ptr %v.p
  %v.1 = add i64 %v.0, 1
  store i64 %v.1, ptr %v.p
  store i64 %rejoin, ptr %t
  %u.taken = getelementptr i8, ptr %t, i64 24
  store i64 %target, ptr %u.taken
  %u.taken.join = getelementptr i64, ptr %u.taken, i64 1
  store i64 %rejoin, ptr %u.taken.join
  %u.taken.mask = getelementptr i64, ptr %u.taken, i64 2
  store i64 %taken, ptr %u.taken.mask
  %u.fall = getelementptr i8, ptr %t, i64 48
  store i64 %fall, ptr %u.fall
  %u.fall.join = getelementptr i64, ptr %u.fall, i64 1
  store i64 %rejoin, ptr %u.fall.join
  %u.fall.mask = getelementptr i64, ptr %u.fall, i64 2
  store i64 %off, ptr %u.fall.mask
  ; A side that is at the re-convergence point at once is not on the stack if it is first.
  %u.is.there = icmp eq i64 %fall, %rejoin
  %u.more = select i1 %u.is.there, i64 1, i64 2
  %u.depth = add i64 %t.depth, %u.more
  %u.deepest.p = getelementptr i64, ptr %counts, i64 @DEEPEST@
  %u.deepest.0 = load i64, ptr %u.deepest.p
  %u.deepest.1 = call i64 @llvm.umax.i64(i64 %u.deepest.0, i64 %u.depth)
  store i64 %u.deepest.1, ptr %u.deepest.p
  br label %settle

returns:
  %r.on = xor i64 %mask, -1
  br label %returns.head
returns.head:
  %r.i = phi i64 [ 0, %returns ], [ %r.i.next, %returns.head ]
  %r.at = mul i64 %r.i, 24
  %r.entry = getelementptr i8, ptr %stack, i64 %r.at
  %r.mask.p = getelementptr i64, ptr %r.entry, i64 2
  %r.mask = load i64, ptr %r.mask.p
  %r.mask.1 = and i64 %r.mask, %r.on
  store i64 %r.mask.1, ptr %r.mask.p
  %r.i.next = add i64 %r.i, 1
  %r.more = icmp ult i64 %r.i.next, %t.depth
  br i1 %r.more, label %returns.head, label %returned
returned:
  %r.depth = sub i64 %t.depth, 1
  br label %settle

settle:
  %s.depth.0 = phi i64 [ %pop.depth, %pop ], [ %u.depth, %diverges ], [ %r.depth, %returned ]
  %settled.steps = phi i64 [ %pop.steps, %pop ], [ %steps.1, %diverges ], [ %steps.1, %returned ]
  br label %settle.head
settle.head:
  %s.depth = phi i64 [ %s.depth.0, %settle ], [ %s.depth.next, %settle.pop ]
  %s.is.empty = icmp eq i64 %s.depth, 0
  br i1 %s.is.empty, label %ended, label %settle.look
settle.look:
  %q.at = mul i64 %s.depth, 24
  %q.at.1 = sub i64 %q.at, 24
  %q = getelementptr i8, ptr %stack, i64 %q.at.1
  %q.node = load i64, ptr %q
  %q.join.p = getelementptr i64, ptr %q, i64 1
  %q.join = load i64, ptr %q.join.p
  %q.mask.p = getelementptr i64, ptr %q, i64 2
  %q.mask = load i64, ptr %q.mask.p
  %q.none = icmp eq i64 %q.mask, 0
  %q.done = icmp eq i64 %q.node, %q.join
  %q.over = or i1 %q.none, %q.done
  br i1 %q.over, label %settle.pop, label %settled
settle.pop:
  %s.depth.next = sub i64 %s.depth, 1
  br label %settle.head
settled:
  %settled.depth = phi i64 [ %s.depth, %settle.look ]
  br label %top

  ; All lanes have returned.
ended:
  %g.depth = sub i64 %final, 1
  store i64 %g.depth, ptr %p.depth
  %g.starters = call i64 @llvm.ctpop.i64(i64 %own.starting)
  %g.slots = mul i64 %settled.steps, %g.starters
  %g.p = getelementptr i64, ptr %counts, i64 @SLOTS@
  %g.0 = load i64, ptr %g.p
  %g.1 = add i64 %g.0, %g.slots
  store i64 %g.1, ptr %g.p
  store <@W@ x i32> zeroinitializer, ptr %p.fill
  store <@W@ x i32> zeroinitializer, ptr %p.tail
  store <@W@ x i32> zeroinitializer, ptr %p.acc
  store <@W@ x i32> zeroinitializer, ptr %p.pos
  br label %warp.next

  ; Lanes wait for what native code has still to run.
blocked:
  store i64 %node, ptr %t
  store i64 %steps, ptr %p.steps
  store i64 %t.depth, ptr %p.depth
  %is.final = icmp ne i64 %final, 0
  br i1 %is.final, label %failed, label %warp.next
}
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.masked.scatter.v@W@i32.v@W@p0(<@W@ x i32>, <@W@ x ptr>, i32, <@W@ x i1>)
declare <@W@ x i32> @llvm.masked.gather.v@W@i32.v@W@p0(<@W@ x ptr>, i32, <@W@ x i1>, <@W@ x i32>)
attributes #0 = { @ATTRIBUTES@ }
