; What the post-dominator stack would execute, from the ways that each lane goes at branches.
;
; Native code keeps entries of two words in the log of a block (paths.py has its places): the lanes
; that were at a branch, and those of them that jumped; or 0, and up to 32 branches of one lane. This
; function moves them to a queue of bits for each lane. Then it runs the stack of each of the
; launch's warps, until lanes that run need bits that are not there yet. It returns 1 if a queue is
; full: then the launch must be counted otherwise.
;
; A queue has a row of words, one for each lane, for 32 branches. `cur` has the `left` next bits of
; each lane, which end before the bit `upto` of its queue; `have` bits are there.
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
  %queue.at = mul i64 %w, @QUEUE_BYTES@
  %queue = getelementptr i8, ptr %queues, i64 %queue.at
  %p.fill = getelementptr i8, ptr %state, i64 @FILL@
  %p.tail = getelementptr i8, ptr %state, i64 @TAIL@
  %p.acc = getelementptr i8, ptr %state, i64 @ACC@
  %p.cur = getelementptr i8, ptr %state, i64 @CUR@
  %p.left = getelementptr i8, ptr %state, i64 @LEFT@
  %p.upto = getelementptr i8, ptr %state, i64 @UPTO@
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
  %c.upto.p = getelementptr i32, ptr %p.upto, i64 %c.lane
  %c.upto = load i32, ptr %c.upto.p
  %c.tail.p = getelementptr i32, ptr %p.tail, i64 %c.lane
  %c.tail = load i32, ptr %c.tail.p
  %c.words = lshr i32 %c.upto, 5
  %c.upto.new = and i32 %c.upto, 31
  %c.tail.new = sub i32 %c.tail, %c.words
  store i32 %c.upto.new, ptr %c.upto.p
  store i32 %c.tail.new, ptr %c.tail.p
  %c.queue = getelementptr i32, ptr %queue, i64 %c.lane
  br label %move.head
move.head:
  %mv.i = phi i32 [ 0, %compact ], [ %mv.i.next, %move.body ]
  %mv.more = icmp ule i32 %mv.i, %c.tail.new
  br i1 %mv.more, label %move.body, label %moved
move.body:
  %mv.to.at = mul i32 %mv.i, @W@
  %mv.to.64 = zext i32 %mv.to.at to i64
  %mv.from.i = add i32 %mv.i, %c.words
  %mv.from.at = mul i32 %mv.from.i, @W@
  %mv.from.64 = zext i32 %mv.from.at to i64
  %mv.from = getelementptr i32, ptr %c.queue, i64 %mv.from.64
  %mv.to = getelementptr i32, ptr %c.queue, i64 %mv.to.64
  %mv.word = load i32, ptr %mv.from
  store i32 %mv.word, ptr %mv.to
  %mv.i.next = add i32 %mv.i, 1
  br label %move.head
moved:
  %c.full = icmp ugt i32 %c.tail.new, @CROWDED@
  br i1 %c.full, label %failed, label %compact.next
compact.next:
  %c.lane.next = add i64 %c.lane, 1
  %c.more = icmp ult i64 %c.lane.next, @W@
  br i1 %c.more, label %compact, label %drain

  ; Move the log to the queues, 32 entries at a time: of these a lane has up to 32 bits.
drain:
  %d.fill.0 = load <@W@ x i32>, ptr %p.fill
  %d.tail.0 = load <@W@ x i32>, ptr %p.tail
  %d.acc.0 = load <@W@ x i32>, ptr %p.acc
  br label %drain.head
drain.head:
  %d.p = phi i64 [ %log, %drain ], [ %e.p, %appended ], [ %s.p, %single.over ]
  %d.fill = phi <@W@ x i32> [ %d.fill.0, %drain ], [ %f.fill, %appended ], [ %s.fill.v, %single.over ]
  %d.tail = phi <@W@ x i32> [ %d.tail.0, %drain ], [ %f.tail, %appended ], [ %s.tail.v, %single.over ]
  %d.acc = phi <@W@ x i32> [ %d.acc.0, %drain ], [ %f.acc, %appended ], [ %s.acc.v, %single.over ]
  %d.more = icmp ult i64 %d.p, %end
  %d.after = add i64 %d.p, @BATCH_BYTES@
  %d.end = call i64 @llvm.umin.i64(i64 %d.after, i64 %end)
  br i1 %d.more, label %entry.head, label %drained
entry.head:
  %e.p = phi i64 [ %d.p, %drain.head ], [ %e.p.next, %entry.next ]
  %e.bits = phi <@W@ x i32> [ zeroinitializer, %drain.head ], [ %e.bits.next, %entry.next ]
  %e.count = phi <@W@ x i32> [ zeroinitializer, %drain.head ], [ %e.count.next, %entry.next ]
  %e.more = icmp ult i64 %e.p, %d.end
  br i1 %e.more, label %entry.body, label %append
entry.body:
  %e.entry = inttoptr i64 %e.p to ptr
  %e.mask.all = load i64, ptr %e.entry
  %e.taken.p = getelementptr i64, ptr %e.entry, i64 1
  %e.taken.all = load i64, ptr %e.taken.p
  %e.is.single.0 = icmp eq i64 %e.mask.all, 0
  %e.is.single.1 = icmp ne i64 %e.taken.all, 0
  %e.is.single = and i1 %e.is.single.0, %e.is.single.1
  br i1 %e.is.single, label %append, label %entry.next
entry.next:
  %e.mask.up = lshr i64 %e.mask.all, %lane.0
  %e.mask = and i64 %e.mask.up, %every
  %e.taken.up = lshr i64 %e.taken.all, %lane.0
  %e.taken = and i64 %e.taken.up, %e.mask
  %e.mask.w = @FROM_64@ i64 %e.mask to i@W@
  %e.taken.w = @FROM_64@ i64 %e.taken to i@W@
  %e.mask.v = bitcast i@W@ %e.mask.w to <@W@ x i1>
  %e.taken.v = bitcast i@W@ %e.taken.w to <@W@ x i1>
  %e.one = shl <@W@ x i32> splat (i32 1), %e.count
  %e.bit = select <@W@ x i1> %e.taken.v, <@W@ x i32> %e.one, <@W@ x i32> zeroinitializer
  %e.bits.next = or <@W@ x i32> %e.bits, %e.bit
  %e.step = zext <@W@ x i1> %e.mask.v to <@W@ x i32>
  %e.count.next = add <@W@ x i32> %e.count, %e.step
  %e.p.next = add i64 %e.p, 16
  br label %entry.head
append:
  %f.up = shl <@W@ x i32> %e.bits, %d.fill
  %f.low = or <@W@ x i32> %d.acc, %f.up
  %f.over = call <@W@ x i32> @llvm.fshl.v@W@i32(<@W@ x i32> zeroinitializer, <@W@ x i32> %e.bits, <@W@ x i32> %d.fill)
  %f.total = add <@W@ x i32> %d.fill, %e.count
  %f.full = icmp uge <@W@ x i32> %f.total, splat (i32 32)
  %f.at.row = mul <@W@ x i32> %d.tail, splat (i32 @W@)
  %f.at = add <@W@ x i32> %f.at.row, @LANES@
  %f.places = getelementptr i32, ptr %queue, <@W@ x i32> %f.at
  call void @llvm.masked.scatter.v@W@i32.v@W@p0(<@W@ x i32> %f.low, <@W@ x ptr> %f.places, i32 4, <@W@ x i1> splat (i1 true))
  %f.more = zext <@W@ x i1> %f.full to <@W@ x i32>
  %f.tail = add <@W@ x i32> %d.tail, %f.more
  %f.acc = select <@W@ x i1> %f.full, <@W@ x i32> %f.over, <@W@ x i32> %f.low
  %f.fill = and <@W@ x i32> %f.total, splat (i32 31)
  br i1 %e.more, label %single, label %appended
appended:
  br label %drain.head

  ; Branches of a lane alone: their bits above the lowest bit that is set, below bit 33; then the lane.
single:
  store <@W@ x i32> %f.fill, ptr %p.fill
  store <@W@ x i32> %f.tail, ptr %p.tail
  store <@W@ x i32> %f.acc, ptr %p.acc
  br label %single.head
single.head:
  %s.p = phi i64 [ %e.p, %single ], [ %s.p.next, %single.next ]
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
  %s.tail.64 = zext i32 %s.tail to i64
  %s.row.at = mul i64 %s.tail.64, @ROW_BYTES@
  %s.row = getelementptr i8, ptr %queue, i64 %s.row.at
  %s.place = getelementptr i32, ptr %s.row, i64 %s.lane
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
  %have.words = shl <@W@ x i32> %d.tail, splat (i32 5)
  %have = add <@W@ x i32> %have.words, %d.fill
  store <@W@ x i32> %have, ptr %p.have
  ; Words that are not full yet are read as well.
  %l.at.row = mul <@W@ x i32> %d.tail, splat (i32 @W@)
  %l.at = add <@W@ x i32> %l.at.row, @LANES@
  %l.places = getelementptr i32, ptr %queue, <@W@ x i32> %l.at
  call void @llvm.masked.scatter.v@W@i32.v@W@p0(<@W@ x i32> %d.acc, <@W@ x ptr> %l.places, i32 4, <@W@ x i1> splat (i1 true))
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
  %mask.w = @FROM_64@ i64 %mask to i@W@
  %mask.v = bitcast i@W@ %mask.w to <@W@ x i1>
  %is.alone = icmp eq i64 %lanes, 1
  br i1 %is.alone, label %alone, label %many

  ; Several lanes run. All of them have `sure` more bits in `cur`, after the `used` ones that `left`
  ; still has.
many:
  %m.cur.0 = load <@W@ x i32>, ptr %p.cur
  br label %many.node
many.node:
  %node = phi i64 [ %t.node, %many ], [ %next, %goes ]
  %steps = phi i64 [ %t.steps, %many ], [ %steps.1, %goes ]
  %m.cur = phi <@W@ x i32> [ %m.cur.0, %many ], [ %e.cur, %goes ]
  %m.sure = phi i32 [ 0, %many ], [ %e.sure, %goes ]
  %m.used = phi i32 [ 0, %many ], [ %e.used, %goes ]
  %n.at = mul i64 %node, @NODE_BYTES@
  %n = getelementptr i8, ptr %nodes, i64 %n.at
  %kind = load i64, ptr %n
  %n.length.p = getelementptr i64, ptr %n, i64 1
  %length = load i64, ptr %n.length.p
  %n.fall.p = getelementptr i64, ptr %n, i64 2
  %fall = load i64, ptr %n.fall.p
  %is.branch = icmp eq i64 %kind, 1
  br i1 %is.branch, label %bits, label %count
bits:
  %b.is.short = icmp eq i32 %m.sure, 0
  br i1 %b.is.short, label %look, label %take
look:
  %b.used.s = insertelement <@W@ x i32> poison, i32 %m.used, i32 0
  %b.used.v = shufflevector <@W@ x i32> %b.used.s, <@W@ x i32> poison, <@W@ x i32> zeroinitializer
  %b.used = select <@W@ x i1> %mask.v, <@W@ x i32> %b.used.v, <@W@ x i32> zeroinitializer
  %b.left.1 = load <@W@ x i32>, ptr %p.left
  %b.left.0 = sub <@W@ x i32> %b.left.1, %b.used
  store <@W@ x i32> %b.left.0, ptr %p.left
  %b.lacks.v0 = icmp eq <@W@ x i32> %b.left.0, zeroinitializer
  %b.lacks.v = and <@W@ x i1> %b.lacks.v0, %mask.v
  %b.lacks = bitcast <@W@ x i1> %b.lacks.v to i@W@
  %b.is.lacking = icmp ne i@W@ %b.lacks, 0
  br i1 %b.is.lacking, label %refill, label %looked
refill:
  %r.upto = load <@W@ x i32>, ptr %p.upto
  %r.have = load <@W@ x i32>, ptr %p.have
  %r.none.v0 = icmp eq <@W@ x i32> %r.upto, %r.have
  %r.none.v = and <@W@ x i1> %r.none.v0, %b.lacks.v
  %r.none = bitcast <@W@ x i1> %r.none.v to i@W@
  %r.is.none = icmp ne i@W@ %r.none, 0
  br i1 %r.is.none, label %many.blocked, label %refill.1
refill.1:
  %r.rows = lshr <@W@ x i32> %r.upto, splat (i32 5)
  br label %refill.row
refill.row:
  %r.w = phi i@W@ [ %b.lacks, %refill.1 ], [ %r.w.next, %refill.row ]
  %r.words = phi <@W@ x i32> [ zeroinitializer, %refill.1 ], [ %r.words.next, %refill.row ]
  %r.lane = call i@W@ @llvm.cttz.i@W@(i@W@ %r.w, i1 true)
  %r.lane.32 = @TO_32@ i@W@ %r.lane to i32
  %r.row = extractelement <@W@ x i32> %r.rows, i32 %r.lane.32
  %r.row.s = insertelement <@W@ x i32> poison, i32 %r.row, i32 0
  %r.row.v = shufflevector <@W@ x i32> %r.row.s, <@W@ x i32> poison, <@W@ x i32> zeroinitializer
  %r.same = icmp eq <@W@ x i32> %r.rows, %r.row.v
  %r.row.64 = zext i32 %r.row to i64
  %r.at = mul i64 %r.row.64, @ROW_BYTES@
  %r.p = getelementptr i8, ptr %queue, i64 %r.at
  %r.loaded = load <@W@ x i32>, ptr %r.p, align 4
  %r.words.next = select <@W@ x i1> %r.same, <@W@ x i32> %r.loaded, <@W@ x i32> %r.words
  %r.same.w = bitcast <@W@ x i1> %r.same to i@W@
  %r.others = xor i@W@ %r.same.w, -1
  %r.w.next = and i@W@ %r.w, %r.others
  %r.more = icmp ne i@W@ %r.w.next, 0
  br i1 %r.more, label %refill.row, label %refilled
refilled:
  %r.down = and <@W@ x i32> %r.upto, splat (i32 31)
  %r.new = lshr <@W@ x i32> %r.words.next, %r.down
  %r.ahead = sub <@W@ x i32> %r.have, %r.upto
  %r.most = sub <@W@ x i32> splat (i32 32), %r.down
  %r.count = call <@W@ x i32> @llvm.umin.v@W@i32(<@W@ x i32> %r.ahead, <@W@ x i32> %r.most)
  %r.upto.1 = add <@W@ x i32> %r.upto, %r.count
  %r.upto.2 = select <@W@ x i1> %b.lacks.v, <@W@ x i32> %r.upto.1, <@W@ x i32> %r.upto
  store <@W@ x i32> %r.upto.2, ptr %p.upto
  %r.cur = select <@W@ x i1> %b.lacks.v, <@W@ x i32> %r.new, <@W@ x i32> %m.cur
  %r.left = select <@W@ x i1> %b.lacks.v, <@W@ x i32> %r.count, <@W@ x i32> %b.left.0
  store <@W@ x i32> %r.left, ptr %p.left
  br label %looked
looked:
  %k.cur = phi <@W@ x i32> [ %m.cur, %look ], [ %r.cur, %refilled ]
  %k.left.v = phi <@W@ x i32> [ %b.left.0, %look ], [ %r.left, %refilled ]
  %k.own = select <@W@ x i1> %mask.v, <@W@ x i32> %k.left.v, <@W@ x i32> splat (i32 -1)
  %k.sure = call i32 @llvm.vector.reduce.umin.v@W@i32(<@W@ x i32> %k.own)
  br label %take
take:
  %b.cur = phi <@W@ x i32> [ %m.cur, %bits ], [ %k.cur, %looked ]
  %b.sure = phi i32 [ %m.sure, %bits ], [ %k.sure, %looked ]
  %b.used.1 = phi i32 [ %m.used, %bits ], [ 0, %looked ]
  %b.low = and <@W@ x i32> %b.cur, splat (i32 1)
  %b.taken.v0 = icmp ne <@W@ x i32> %b.low, zeroinitializer
  %b.taken.v = and <@W@ x i1> %b.taken.v0, %mask.v
  %b.taken.w = bitcast <@W@ x i1> %b.taken.v to i@W@
  %b.taken = @TO_64@ i@W@ %b.taken.w to i64
  %b.down = lshr <@W@ x i32> %b.cur, splat (i32 1)
  %b.cur.1 = select <@W@ x i1> %mask.v, <@W@ x i32> %b.down, <@W@ x i32> %b.cur
  %b.sure.1 = sub i32 %b.sure, 1
  %b.used.2 = add i32 %b.used.1, 1
  br label %count
count:
  %taken = phi i64 [ 0, %many.node ], [ %b.taken, %take ]
  %e.cur = phi <@W@ x i32> [ %m.cur, %many.node ], [ %b.cur.1, %take ]
  %e.sure = phi i32 [ %m.sure, %many.node ], [ %b.sure.1, %take ]
  %e.used = phi i32 [ %m.used, %many.node ], [ %b.used.2, %take ]
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
  switch i64 %kind, label %many.over [ i64 0, label %goes i64 1, label %branches ]
branches:
  %n.target.p = getelementptr i64, ptr %n, i64 3
  %target = load i64, ptr %n.target.p
  %off = xor i64 %taken, %mask
  %none.taken = icmp eq i64 %taken, 0
  br i1 %none.taken, label %goes, label %branches.1
branches.1:
  %none.off = icmp eq i64 %off, 0
  br i1 %none.off, label %goes, label %many.over
goes:
  %next = phi i64 [ %fall, %count ], [ %fall, %branches ], [ %target, %branches.1 ]
  %arrives = icmp eq i64 %next, %join
  br i1 %arrives, label %many.over, label %many.node
many.over:
  ; 0: at the join node; 1: returned; 2: both ways are taken.
  %y.why = phi i64 [ 1, %count ], [ 2, %branches.1 ], [ 0, %goes ]
  store <@W@ x i32> %e.cur, ptr %p.cur
  %y.used.s = insertelement <@W@ x i32> poison, i32 %e.used, i32 0
  %y.used.v = shufflevector <@W@ x i32> %y.used.s, <@W@ x i32> poison, <@W@ x i32> zeroinitializer
  %y.used = select <@W@ x i1> %mask.v, <@W@ x i32> %y.used.v, <@W@ x i32> zeroinitializer
  %y.left = load <@W@ x i32>, ptr %p.left
  %y.left.1 = sub <@W@ x i32> %y.left, %y.used
  store <@W@ x i32> %y.left.1, ptr %p.left
  switch i64 %y.why, label %diverges [ i64 0, label %pop i64 1, label %returns ]
many.blocked:
  store <@W@ x i32> %m.cur, ptr %p.cur
  br label %blocked

diverges:
  %v.target.p = getelementptr i64, ptr %n, i64 3
  %v.target = load i64, ptr %v.target.p
  %v.off = xor i64 %taken, %mask
  %n.rejoin.p = getelementptr i64, ptr %n, i64 4
  %rejoin = load i64, ptr %n.rejoin.p
  %v.p = getelementptr i64, ptr %counts, i64 @DIVERGENT@
  %v.0 = load i64, ptr %v.p
  %v.1 = add i64 %v.0, 1
  store i64 %v.1, ptr %v.p
  store i64 %rejoin, ptr %t
  %u.taken = getelementptr i8, ptr %t, i64 24
  store i64 %v.target, ptr %u.taken
  %u.taken.join = getelementptr i64, ptr %u.taken, i64 1
  store i64 %rejoin, ptr %u.taken.join
  %u.taken.mask = getelementptr i64, ptr %u.taken, i64 2
  store i64 %taken, ptr %u.taken.mask
  %u.fall = getelementptr i8, ptr %t, i64 48
  store i64 %fall, ptr %u.fall
  %u.fall.join = getelementptr i64, ptr %u.fall, i64 1
  store i64 %rejoin, ptr %u.fall.join
  %u.fall.mask = getelementptr i64, ptr %u.fall, i64 2
  store i64 %v.off, ptr %u.fall.mask
  ; A side that is at the re-convergence point at once is not on the stack if it is first.
  %u.is.there = icmp eq i64 %fall, %rejoin
  %u.more = select i1 %u.is.there, i64 1, i64 2
  %u.depth = add i64 %t.depth, %u.more
  %u.deepest.p = getelementptr i64, ptr %counts, i64 @DEEPEST@
  %u.deepest.0 = load i64, ptr %u.deepest.p
  %u.deepest.1 = call i64 @llvm.umax.i64(i64 %u.deepest.0, i64 %u.depth)
  store i64 %u.deepest.1, ptr %u.deepest.p
  br label %settle

  ; One lane runs, with up to 64 of its next bits.
alone:
  %a.lane = call i64 @llvm.cttz.i64(i64 %mask, i1 true)
  %a.has.join = icmp sge i64 %join, 0
  %a.join.or.0 = select i1 %a.has.join, i64 %join, i64 0
  %a.join.at = mul i64 %a.join.or.0, @NODE_BYTES@
  %a.join.node = getelementptr i8, ptr %nodes, i64 %a.join.at
  %a.join.bit.p = getelementptr i64, ptr %a.join.node, i64 5
  %a.join.bit.0 = load i64, ptr %a.join.bit.p
  %a.join.bit = select i1 %a.has.join, i64 %a.join.bit.0, i64 0
  %a.cur.p = getelementptr i32, ptr %p.cur, i64 %a.lane
  %a.cur = load i32, ptr %a.cur.p
  %a.bits.0 = zext i32 %a.cur to i64
  %a.left.p = getelementptr i32, ptr %p.left, i64 %a.lane
  %a.left.32 = load i32, ptr %a.left.p
  %a.left.0 = zext i32 %a.left.32 to i64
  %a.upto.p = getelementptr i32, ptr %p.upto, i64 %a.lane
  %a.upto.32 = load i32, ptr %a.upto.p
  %a.upto.0 = zext i32 %a.upto.32 to i64
  %a.have.p = getelementptr i32, ptr %p.have, i64 %a.lane
  %a.have.32 = load i32, ptr %a.have.p
  %a.have = zext i32 %a.have.32 to i64
  %a.queue = getelementptr i32, ptr %queue, i64 %a.lane
  br label %alone.node
alone.node:
  %a.node = phi i64 [ %t.node, %alone ], [ %k.next, %chunk.run ], [ %o.next, %one.goes ]
  %a.steps = phi i64 [ %t.steps, %alone ], [ %k.steps, %chunk.run ], [ %o.steps, %one.goes ]
  %a.bits.1 = phi i64 [ %a.bits.0, %alone ], [ %k.bits, %chunk.run ], [ %o.bits, %one.goes ]
  %a.left.1 = phi i64 [ %a.left.0, %alone ], [ %k.left, %chunk.run ], [ %o.left, %one.goes ]
  %a.upto.1 = phi i64 [ %a.upto.0, %alone ], [ %a.upto, %chunk.run ], [ %a.upto, %one.goes ]
  br label %alone.fill
alone.fill:
  %a.bits = phi i64 [ %a.bits.1, %alone.node ], [ %m.bits, %alone.more ]
  %a.left = phi i64 [ %a.left.1, %alone.node ], [ %m.left, %alone.more ]
  %a.upto = phi i64 [ %a.upto.1, %alone.node ], [ %m.upto, %alone.more ]
  %a.enough = icmp uge i64 %a.left, @CHUNK@
  br i1 %a.enough, label %chunk, label %alone.few
alone.few:
  %m.ahead = sub i64 %a.have, %a.upto
  %m.is.more = icmp ne i64 %m.ahead, 0
  br i1 %m.is.more, label %alone.more, label %one
alone.more:
  %m.row = lshr i64 %a.upto, 5
  %m.at = mul i64 %m.row, @ROW_BYTES@
  %m.p = getelementptr i8, ptr %a.queue, i64 %m.at
  %m.word.32 = load i32, ptr %m.p
  %m.word = zext i32 %m.word.32 to i64
  %m.down = and i64 %a.upto, 31
  %m.word.1 = lshr i64 %m.word, %m.down
  %m.most = sub i64 32, %m.down
  %m.count = call i64 @llvm.umin.i64(i64 %m.ahead, i64 %m.most)
  %m.up = shl i64 %m.word.1, %a.left
  %m.bits = or i64 %a.bits, %m.up
  %m.left = add i64 %a.left, %m.count
  %m.upto = add i64 %a.upto, %m.count
  br label %alone.fill

  ; The next branches lead to a place that is known, if the lane is not at the join node before.
chunk:
  %k.bits.low = and i64 %a.bits, @CHUNK_MASK@
  %k.row = shl i64 %a.node, @CHUNK@
  %k.number = or i64 %k.row, %k.bits.low
  %k.chunk = getelementptr { i64, i64 }, ptr %chunks, i64 %k.number
  %k.what = load i64, ptr %k.chunk
  %k.joins.p = getelementptr i64, ptr %k.chunk, i64 1
  %k.joins = load i64, ptr %k.joins.p
  %k.is.good.0 = icmp ne i64 %k.what, 0
  %k.meets = and i64 %k.joins, %a.join.bit
  %k.is.good.1 = icmp eq i64 %k.meets, 0
  %k.is.good = and i1 %k.is.good.0, %k.is.good.1
  br i1 %k.is.good, label %chunk.run, label %one
chunk.run:
  %k.count.p = getelementptr i64, ptr %histogram, i64 %k.number
  %k.count = load i64, ptr %k.count.p
  %k.count.1 = add i64 %k.count, 1
  store i64 %k.count.1, ptr %k.count.p
  %k.length = lshr i64 %k.what, 16
  %k.steps = add i64 %a.steps, %k.length
  %k.next = and i64 %k.what, 65535
  %k.bits = lshr i64 %a.bits, @CHUNK@
  %k.left = sub i64 %a.left, @CHUNK@
  %k.arrives = icmp eq i64 %k.next, %join
  br i1 %k.arrives, label %alone.over, label %alone.node

one:
  %o.at = mul i64 %a.node, @NODE_BYTES@
  %o = getelementptr i8, ptr %nodes, i64 %o.at
  %o.kind = load i64, ptr %o
  %o.is.branch.i = icmp eq i64 %o.kind, 1
  %o.is.branch = zext i1 %o.is.branch.i to i64
  %o.lacks.0 = icmp eq i64 %a.left, 0
  %o.lacks = and i1 %o.lacks.0, %o.is.branch.i
  br i1 %o.lacks, label %alone.over, label %one.run
one.run:
  %o.e.at = mul i64 %a.node, 16
  %o.e.from = getelementptr i64, ptr %counts, i64 @EXECUTED@
  %o.e = getelementptr i8, ptr %o.e.from, i64 %o.e.at
  %o.runs = load i64, ptr %o.e
  %o.runs.1 = add i64 %o.runs, 1
  store i64 %o.runs.1, ptr %o.e
  %o.lanes.p = getelementptr i64, ptr %o.e, i64 1
  %o.lanes = load i64, ptr %o.lanes.p
  %o.lanes.1 = add i64 %o.lanes, 1
  store i64 %o.lanes.1, ptr %o.lanes.p
  %o.length.p = getelementptr i64, ptr %o, i64 1
  %o.length = load i64, ptr %o.length.p
  %o.steps = add i64 %a.steps, %o.length
  %o.jumps = and i64 %a.bits, %o.is.branch
  %o.bits = lshr i64 %a.bits, %o.is.branch
  %o.left = sub i64 %a.left, %o.is.branch
  %o.ways = getelementptr i64, ptr %o, i64 2
  %o.next.p = getelementptr i64, ptr %o.ways, i64 %o.jumps
  %o.next = load i64, ptr %o.next.p
  %o.returns = icmp eq i64 %o.kind, 2
  br i1 %o.returns, label %alone.over, label %one.goes
one.goes:
  %o.arrives = icmp eq i64 %o.next, %join
  br i1 %o.arrives, label %alone.over, label %alone.node
alone.over:
  ; 0: at the join node; 1: returned; 2: bits are missing.
  %z.why = phi i64 [ 0, %chunk.run ], [ 2, %one ], [ 1, %one.run ], [ 0, %one.goes ]
  %z.steps = phi i64 [ %k.steps, %chunk.run ], [ %a.steps, %one ], [ %o.steps, %one.run ], [ %o.steps, %one.goes ]
  %z.bits = phi i64 [ %k.bits, %chunk.run ], [ %a.bits, %one ], [ %o.bits, %one.run ], [ %o.bits, %one.goes ]
  %z.left.0 = phi i64 [ %k.left, %chunk.run ], [ %a.left, %one ], [ %o.left, %one.run ], [ %o.left, %one.goes ]
  %z.spare = call i64 @llvm.usub.sat.i64(i64 %z.left.0, i64 32)
  %z.left = sub i64 %z.left.0, %z.spare
  %z.upto = sub i64 %a.upto, %z.spare
  %z.bits.32 = trunc i64 %z.bits to i32
  store i32 %z.bits.32, ptr %a.cur.p
  %z.left.32 = trunc i64 %z.left to i32
  store i32 %z.left.32, ptr %a.left.p
  %z.upto.32 = trunc i64 %z.upto to i32
  store i32 %z.upto.32, ptr %a.upto.p
  switch i64 %z.why, label %blocked [ i64 0, label %pop i64 1, label %returns ]

pop:
  %pop.steps = phi i64 [ %steps.1, %many.over ], [ %z.steps, %alone.over ]
  %pop.depth = sub i64 %t.depth, 1
  br label %settle

returns:
  %r.steps = phi i64 [ %steps.1, %many.over ], [ %z.steps, %alone.over ]
  %r.on = xor i64 %mask, -1
  br label %returns.head
returns.head:
  %r.i = phi i64 [ 0, %returns ], [ %r.i.next, %returns.head ]
  %r.entry.at = mul i64 %r.i, 24
  %r.entry = getelementptr i8, ptr %stack, i64 %r.entry.at
  %r.mask.p = getelementptr i64, ptr %r.entry, i64 2
  %r.mask = load i64, ptr %r.mask.p
  %r.mask.1 = and i64 %r.mask, %r.on
  store i64 %r.mask.1, ptr %r.mask.p
  %r.i.next = add i64 %r.i, 1
  %r.i.more = icmp ult i64 %r.i.next, %t.depth
  br i1 %r.i.more, label %returns.head, label %returned
returned:
  %r.depth = sub i64 %t.depth, 1
  br label %settle

settle:
  %s.depth.0 = phi i64 [ %pop.depth, %pop ], [ %u.depth, %diverges ], [ %r.depth, %returned ]
  %settled.steps = phi i64 [ %pop.steps, %pop ], [ %steps.1, %diverges ], [ %r.steps, %returned ]
  ; All that has run since the entry is on top was compared with its join node, if it has one.
  %w.steps = sub i64 %settled.steps, %t.steps
  %w.compared = and i64 %w.steps, %is.compared
  %w.p = getelementptr i64, ptr %counts, i64 @COMPARISONS@
  %w.0 = load i64, ptr %w.p
  %w.1 = add i64 %w.0, %w.compared
  store i64 %w.1, ptr %w.p
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
  store <@W@ x i32> zeroinitializer, ptr %p.cur
  store <@W@ x i32> zeroinitializer, ptr %p.left
  store <@W@ x i32> zeroinitializer, ptr %p.upto
  br label %warp.next

  ; Lanes wait for what native code has still to run.
blocked:
  %x.node = phi i64 [ %node, %many.blocked ], [ %a.node, %alone.over ]
  %x.steps = phi i64 [ %steps, %many.blocked ], [ %z.steps, %alone.over ]
  store i64 %x.node, ptr %t
  store i64 %x.steps, ptr %p.steps
  store i64 %t.depth, ptr %p.depth
  %x.ran = sub i64 %x.steps, %t.steps
  %x.compared = and i64 %x.ran, %is.compared
  %x.p = getelementptr i64, ptr %counts, i64 @COMPARISONS@
  %x.0 = load i64, ptr %x.p
  %x.1 = add i64 %x.0, %x.compared
  store i64 %x.1, ptr %x.p
  ; Rows that are not full now are read again.
  %x.left = load <@W@ x i32>, ptr %p.left
  %x.upto = load <@W@ x i32>, ptr %p.upto
  %x.upto.1 = sub <@W@ x i32> %x.upto, %x.left
  store <@W@ x i32> %x.upto.1, ptr %p.upto
  store <@W@ x i32> zeroinitializer, ptr %p.left
  store <@W@ x i32> zeroinitializer, ptr %p.cur
  %is.final = icmp ne i64 %final, 0
  br i1 %is.final, label %failed, label %warp.next
}
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
@CTTZ@
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)
declare <@W@ x i32> @llvm.umin.v@W@i32(<@W@ x i32>, <@W@ x i32>)
declare i32 @llvm.vector.reduce.umin.v@W@i32(<@W@ x i32>)
declare <@W@ x i32> @llvm.fshl.v@W@i32(<@W@ x i32>, <@W@ x i32>, <@W@ x i32>)
declare void @llvm.masked.scatter.v@W@i32.v@W@p0(<@W@ x i32>, <@W@ x ptr>, i32, <@W@ x i1>)
attributes #0 = { @ATTRIBUTES@ }
