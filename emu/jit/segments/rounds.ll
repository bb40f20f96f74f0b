; The interpreter's rounds (interp/interpreter.py) over segments, with the stack of each warp.
;
; rounds.py has the words of `%b`, and makes what they point at. A pc is the number of a segment. An
; entry of a stack has pc, re-convergence point (-1: none) and lanes; a warp without a stack is whole.
; What the interpreter must decide ends a launch: traps, spent budgets, barriers in pieces.

declare i32 @simtlab_begin_atomics(ptr)
declare i32 @simtlab_end_atomics(ptr)

; Begin a launch with this memory: nothing has run, and nothing is counted.
define void @simtlab_begin_rounds(ptr %b, i64 %memory) #0 {
entry:
  %p.first.words = getelementptr i64, ptr %b, i64 @AT_FIRST@
  %first.words = load ptr, ptr %p.first.words
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %first.words, i64 @WORD_BYTES@, i1 false)
  br label %piece
piece:
  %i = phi i64 [ 0, %entry ], [ %i.next, %piece ]
  %at = add i64 %i, @FIRST_PIECE@
  %p.piece = getelementptr i64, ptr %b, i64 %at
  %offset = load i64, ptr %p.piece
  %place = add i64 %memory, %offset
  store i64 %place, ptr %p.piece
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, @PIECES@
  br i1 %more, label %piece, label %pieced
pieced:
  %p.segments = getelementptr i64, ptr %b, i64 @SEGMENTS@
  %segments = load i64, ptr %p.segments
  %p.table = getelementptr i64, ptr %b, i64 @TABLE@
  %table = load ptr, ptr %p.table
  br label %segment
segment:
  %s = phi i64 [ 0, %pieced ], [ %s.next, %segment ]
  %s.at = mul i64 %s, @RECORD_BYTES@
  %record = getelementptr i8, ptr %table, i64 %s.at
  %p.executions = getelementptr i64, ptr %record, i64 @EXECUTIONS@
  store i64 0, ptr %p.executions
  %p.lanes = getelementptr i64, ptr %record, i64 @LANES@
  store i64 0, ptr %p.lanes
  %s.next = add i64 %s, 1
  %s.more = icmp ult i64 %s.next, %segments
  br i1 %s.more, label %segment, label %cleared
cleared:
  %p.n = getelementptr i64, ptr %b, i64 @PLACES@
  %n = load i64, ptr %p.n
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  br label %pc
pc:
  %w = phi i64 [ 0, %cleared ], [ %w.next, %pc ]
  %w.pc = getelementptr i32, ptr %pcs, i64 %w
  store <16 x i32> splat (i32 @NO@), ptr %w.pc, align 64
  %w.next = add i64 %w, 16
  %w.more = icmp ult i64 %w.next, %n
  br i1 %w.more, label %pc, label %done
done:
  ret void
}

; Run a whole launch, as the code of a kernel runs workgroups. Returns 1 if it must not continue here:
; the interpreter must decide, it has many rounds, or another thread has the memory, which is noted.
define i32 @simtlab_launch_in_order(ptr %ctx, i64 %from, i64 %to) #0 {
entry:
  %p.b = getelementptr i64, ptr %ctx, i64 @OF_CONTEXT@
  %b = load ptr, ptr %p.b
  %p.room = getelementptr i64, ptr %b, i64 @ROOM@
  %room = load ptr, ptr %p.room
  %memory = atomicrmw xchg ptr %room, i64 0 acquire
  %is.taken = icmp eq i64 %memory, 0
  br i1 %is.taken, label %busy, label %run
busy:
  %p.kind = getelementptr i64, ptr %ctx, i64 @TRAP_KIND@
  store i64 @BUSY@, ptr %p.kind
  ret i32 1
run:
  call void @simtlab_begin_rounds(ptr %b, i64 %memory)
  %left = call i32 @simtlab_rounds(ptr %b, i64 @MOST_ROUNDS@)
  store atomic i64 %memory, ptr %room release, align 8
  %is.left = icmp ne i32 %left, 0
  %failed = zext i1 %is.left to i32
  ret i32 %failed
}

; Run up to `quota` rounds. Returns 0 at the end of the launch, 1 before, 2 if the launch must not continue.
define i32 @simtlab_rounds(ptr %b, i64 %quota) #0 {
entry:
  %p.ctx = getelementptr i64, ptr %b, i64 @ATOMICS_OF@
  %ctx = load ptr, ptr %p.ctx
  %is.alone = icmp eq ptr %ctx, null
  br i1 %is.alone, label %alone, label %beside
alone:
  %result.alone = call i32 @rounds(ptr %b, i64 %quota)
  ret i32 %result.alone
beside:
  %begun = call i32 @simtlab_begin_atomics(ptr %ctx)
  %result = call i32 @rounds(ptr %b, i64 %quota)
  %ended = call i32 @simtlab_end_atomics(ptr %ctx)
  ret i32 %result
}

define internal i32 @rounds(ptr %b, i64 %quota) #0 {
entry:
  %p.first = getelementptr i64, ptr %b, i64 @FIRST@
  %p.rounds = getelementptr i64, ptr %b, i64 @ROUNDS@
  %p.check = getelementptr i64, ptr %b, i64 @CHECK@
  %first = load i64, ptr %p.first
  %is.new = icmp slt i64 %first, 0
  br i1 %is.new, label %batch, label %head
batch:
  %has.batch = call i1 @next_batch(ptr %b)
  br i1 %has.batch, label %head, label %over
over:
  ret i32 0
paused:
  ret i32 1
failed:
  ret i32 2
head:
  %left = phi i64 [ %quota, %entry ], [ %quota, %batch ], [ %left.next, %after ], [ %left.next, %opened ]
  %is.paused = icmp eq i64 %left, 0
  br i1 %is.paused, label %paused, label %choice
choice:
  %left.next = sub i64 %left, 1
  %rounds.0 = load i64, ptr %p.rounds
  %rounds = add i64 %rounds.0, 1
  store i64 %rounds, ptr %p.rounds
  %turn = urem i64 %rounds, @FAIR@
  %is.fair = icmp eq i64 %turn, 0
  br i1 %is.fair, label %fairly, label %lowest
fairly:
  %pc.fair = call i32 @least_executed(ptr %b)
  br label %chosen
lowest:
  %pc.low = call i32 @lowest(ptr %b)
  br label %chosen
chosen:
  %pc = phi i32 [ %pc.fair, %fairly ], [ %pc.low, %lowest ]
  ; Before the next fair round, and up to the one after which barriers are looked at.
  %until.fair = sub i64 @FAIR@, %turn
  %p.due = load i64, ptr %p.check
  %until.due = sub i64 %p.due, %rounds
  %until.due.1 = add i64 %until.due, 1
  %until.due.2 = call i64 @llvm.smax.i64(i64 %until.due.1, i64 1)
  %until = call i64 @llvm.umin.i64(i64 %until.fair, i64 %until.due.2)
  %most = select i1 %is.fair, i64 1, i64 %until
  %none = icmp eq i32 %pc, @NO@
  br i1 %none, label %wait, label %run
wait:
  %found = call i32 @open(ptr %b)
  switch i32 %found, label %failed [ i32 0, label %batch i32 1, label %opened ]
opened:
  br label %head
run:
  %warps = call i64 @gather(ptr %b, i32 %pc)
  %turns = call i64 @turns(ptr %b, i32 %pc, i64 %warps, i64 %most)
  %ran = call i64 @block(ptr %b, i32 %pc, i64 %warps, i64 %turns)
  %is.failed = icmp eq i64 %ran, 0
  br i1 %is.failed, label %failed, label %after.run
after.run:
  %more.rounds = sub i64 %ran, 1
  %rounds.now = add i64 %rounds, %more.rounds
  store i64 %rounds.now, ptr %p.rounds
  %due = load i64, ptr %p.check
  %is.due = icmp uge i64 %rounds.now, %due
  br i1 %is.due, label %check, label %after
check:
  %due.next = add i64 %rounds.now, @CHECK_ROUNDS@
  store i64 %due.next, ptr %p.check
  %found.beside = call i32 @open(ptr %b)
  %divergent = icmp eq i32 %found.beside, 2
  br i1 %divergent, label %failed, label %after
after:
  br label %head
}

; Begin the next batch of workgroups; false after the last one. Counts the lane slots of the one before.
define internal i1 @next_batch(ptr %b) #0 {
entry:
  %p.first = getelementptr i64, ptr %b, i64 @FIRST@
  %first.0 = load i64, ptr %p.first
  %p.slots = getelementptr i64, ptr %b, i64 @SLOTS@
  %slots = load i64, ptr %p.slots
  %p.per = getelementptr i64, ptr %b, i64 @PER_GROUP@
  %per = load i64, ptr %p.per
  %p.groups = getelementptr i64, ptr %b, i64 @GROUPS@
  %groups = load i64, ptr %p.groups
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  %p.watch = getelementptr i64, ptr %b, i64 @WATCH@
  %watches = load ptr, ptr %p.watch
  %p.steps = getelementptr i64, ptr %b, i64 @STEPS@
  %steps = load ptr, ptr %p.steps
  %p.masks = getelementptr i64, ptr %b, i64 @MASKS@
  %masks = load ptr, ptr %p.masks
  %p.live = getelementptr i64, ptr %b, i64 @LIVE@
  %lives = load ptr, ptr %p.live
  %p.starters = getelementptr i64, ptr %b, i64 @STARTERS@
  %starters = load ptr, ptr %p.starters
  %p.depth = getelementptr i64, ptr %b, i64 @DEPTH@
  %depths = load ptr, ptr %p.depth
  %p.waits = getelementptr i64, ptr %b, i64 @WAITS@
  %waits = load ptr, ptr %p.waits
  %p.memory = getelementptr i64, ptr %b, i64 @MEMORY@
  %memory = load ptr, ptr %p.memory
  %p.bytes = getelementptr i64, ptr %b, i64 @BYTES@
  %bytes = load i64, ptr %p.bytes
  %p.start = getelementptr i64, ptr %b, i64 @START@
  %start = load ptr, ptr %p.start
  %p.context = getelementptr i64, ptr %b, i64 @CONTEXT@
  %context = load i64, ptr %p.context
  %p.shared = getelementptr i64, ptr %b, i64 @SHARED@
  %shared = load i64, ptr %p.shared
  %p.shared.bytes = getelementptr i64, ptr %b, i64 @SHARED_BYTES@
  %shared.bytes = load i64, ptr %p.shared.bytes
  %p.private = getelementptr i64, ptr %b, i64 @PRIVATE@
  %private = load i64, ptr %p.private
  %p.private.bytes = getelementptr i64, ptr %b, i64 @PRIVATE_BYTES@
  %private.bytes = load i64, ptr %p.private.bytes
  %p.brief = getelementptr i64, ptr %b, i64 @BRIEF@
  %brief = load i64, ptr %p.brief
  %p.places = getelementptr i64, ptr %b, i64 @LANE_SLOTS@
  %p.warps = getelementptr i64, ptr %b, i64 @WARPS@
  %n = mul i64 %slots, %per
  %is.first = icmp slt i64 %first.0, 0
  br i1 %is.first, label %begin, label %sum
sum:
  %s.w = phi i64 [ 0, %entry ], [ %s.w.next, %sum ]
  %s.p.steps = getelementptr i32, ptr %steps, i64 %s.w
  %s.steps = load i32, ptr %s.p.steps
  %s.steps.64 = zext i32 %s.steps to i64
  %s.p.starters = getelementptr i64, ptr %starters, i64 %s.w
  %s.starters = load i64, ptr %s.p.starters
  %s.lanes = call i64 @llvm.ctpop.i64(i64 %s.starters)
  %s.more = mul i64 %s.steps.64, %s.lanes
  %s.total = load i64, ptr %p.places
  %s.total.new = add i64 %s.total, %s.more
  store i64 %s.total.new, ptr %p.places
  %s.w.next = add i64 %s.w, 1
  %s.has = icmp ult i64 %s.w.next, %n
  br i1 %s.has, label %sum, label %begin
begin:
  %first.after = add i64 %first.0, %slots
  %first = select i1 %is.first, i64 0, i64 %first.after
  %has = icmp ult i64 %first, %groups
  br i1 %has, label %slot, label %none
none:
  ret i1 false
slot:
  %k = phi i64 [ 0, %begin ], [ %k.next, %slot.next ]
  store i64 %first, ptr %p.first
  %group = add i64 %first, %k
  %exists = icmp ult i64 %group, %groups
  br label %warp
warp:
  %j = phi i64 [ 0, %slot ], [ %j.next, %set ]
  %w.0 = mul i64 %k, %per
  %w = add i64 %w.0, %j
  br i1 %exists, label %make, label %set
make:
  %at = mul i64 %w, %bytes
  %warp.p = getelementptr i8, ptr %memory, i64 %at
  %shared.at = mul i64 %k, %shared.bytes
  %shared.own = add i64 %shared, %shared.at
  %p.shared.own = getelementptr i64, ptr %warp.p, i64 @GROUP_MEMORY@
  store i64 %shared.own, ptr %p.shared.own
  %private.at = mul i64 %w, %private.bytes
  %private.own = add i64 %private, %private.at
  %p.private.own = getelementptr i64, ptr %warp.p, i64 @PRIVATE_MEMORY@
  store i64 %private.own, ptr %p.private.own
  %p.context.own = getelementptr i64, ptr %warp.p, i64 @HEADER_CONTEXT@
  store i64 %context, ptr %p.context.own
  %p.brief.own = getelementptr i64, ptr %warp.p, i64 @HEADER_BRIEF@
  store i64 %brief, ptr %p.brief.own
  %made = call i64 %start(ptr %warp.p, i64 %group, i64 %j)
  br label %set
set:
  %lanes = phi i64 [ 0, %warp ], [ %made, %make ]
  %is.warp = icmp ne i64 %lanes, 0
  %pc = select i1 %is.warp, i32 0, i32 @NO@
  %w.pc = getelementptr i32, ptr %pcs, i64 %w
  store i32 %pc, ptr %w.pc
  %w.watch = getelementptr i32, ptr %watches, i64 %w
  store i32 @NO@, ptr %w.watch
  %w.steps = getelementptr i32, ptr %steps, i64 %w
  store i32 0, ptr %w.steps
  %w.depth = getelementptr i32, ptr %depths, i64 %w
  store i32 0, ptr %w.depth
  %w.waits = getelementptr i32, ptr %waits, i64 %w
  store i32 -1, ptr %w.waits
  %w.mask = getelementptr i64, ptr %masks, i64 %w
  store i64 %lanes, ptr %w.mask
  %w.live = getelementptr i64, ptr %lives, i64 %w
  store i64 %lanes, ptr %w.live
  %w.starters = getelementptr i64, ptr %starters, i64 %w
  store i64 %lanes, ptr %w.starters
  %warps = load i64, ptr %p.warps
  %one = zext i1 %is.warp to i64
  %warps.new = add i64 %warps, %one
  store i64 %warps.new, ptr %p.warps
  %j.next = add i64 %j, 1
  %j.more = icmp ult i64 %j.next, %per
  br i1 %j.more, label %warp, label %slot.next
slot.next:
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %slots
  br i1 %k.more, label %slot, label %begun
begun:
  ret i1 true
}

; Return the lowest pc of the warps that can run.
define internal i32 @lowest(ptr %b) #0 {
entry:
  %p.n = getelementptr i64, ptr %b, i64 @PLACES@
  %n = load i64, ptr %p.n
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  br label %loop
loop:
  %w = phi i64 [ 0, %entry ], [ %w.next, %loop ]
  %least = phi <16 x i32> [ splat (i32 @NO@), %entry ], [ %least.next, %loop ]
  %at = getelementptr i32, ptr %pcs, i64 %w
  %some = load <16 x i32>, ptr %at, align 64
  %least.next = call <16 x i32> @llvm.umin.v16i32(<16 x i32> %least, <16 x i32> %some)
  %w.next = add i64 %w, 16
  %more = icmp ult i64 %w.next, %n
  br i1 %more, label %loop, label %done
done:
  %found = call i32 @llvm.vector.reduce.umin.v16i32(<16 x i32> %least.next)
  ret i32 %found
}

; Return the pc of the first warp that has executed least, of those that can run.
define internal i32 @least_executed(ptr %b) #0 {
entry:
  %p.n = getelementptr i64, ptr %b, i64 @PLACES@
  %n = load i64, ptr %p.n
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  %p.steps = getelementptr i64, ptr %b, i64 @STEPS@
  %steps = load ptr, ptr %p.steps
  br label %loop
loop:
  %w = phi i64 [ 0, %entry ], [ %w.next, %loop ]
  %least = phi <16 x i32> [ splat (i32 @NO@), %entry ], [ %least.next, %loop ]
  %at = getelementptr i32, ptr %pcs, i64 %w
  %pc = load <16 x i32>, ptr %at, align 64
  %steps.at = getelementptr i32, ptr %steps, i64 %w
  %some = load <16 x i32>, ptr %steps.at, align 64
  %runs = icmp ne <16 x i32> %pc, splat (i32 @NO@)
  %own = select <16 x i1> %runs, <16 x i32> %some, <16 x i32> splat (i32 @NO@)
  %least.next = call <16 x i32> @llvm.umin.v16i32(<16 x i32> %least, <16 x i32> %own)
  %w.next = add i64 %w, 16
  %more = icmp ult i64 %w.next, %n
  br i1 %more, label %loop, label %known
known:
  %found = call i32 @llvm.vector.reduce.umin.v16i32(<16 x i32> %least.next)
  %none = icmp eq i32 %found, @NO@
  br i1 %none, label %nothing, label %search
nothing:
  ret i32 @NO@
search:
  %f.w = phi i64 [ 0, %known ], [ %f.w.next, %search.next ]
  %f.at = getelementptr i32, ptr %pcs, i64 %f.w
  %f.pc = load <16 x i32>, ptr %f.at, align 64
  %f.steps.at = getelementptr i32, ptr %steps, i64 %f.w
  %f.steps = load <16 x i32>, ptr %f.steps.at, align 64
  %f.0 = insertelement <16 x i32> poison, i32 %found, i32 0
  %f.all = shufflevector <16 x i32> %f.0, <16 x i32> poison, <16 x i32> zeroinitializer
  %f.least = icmp eq <16 x i32> %f.steps, %f.all
  %f.runs = icmp ne <16 x i32> %f.pc, splat (i32 @NO@)
  %f.is = and <16 x i1> %f.least, %f.runs
  %f.bits = bitcast <16 x i1> %f.is to i16
  %f.some = icmp ne i16 %f.bits, 0
  br i1 %f.some, label %place, label %search.next
search.next:
  %f.w.next = add i64 %f.w, 16
  br label %search
place:
  %lane = call i16 @llvm.cttz.i16(i16 %f.bits, i1 true)
  %lane.64 = zext i16 %lane to i64
  %warp = add i64 %f.w, %lane.64
  %p.pc = getelementptr i32, ptr %pcs, i64 %warp
  %chosen = load i32, ptr %p.pc
  ret i32 %chosen
}

; Write the numbers of the warps at a pc into the list, and return how many there are.
define internal i64 @gather(ptr %b, i32 %pc) #0 {
entry:
  %p.n = getelementptr i64, ptr %b, i64 @PLACES@
  %n = load i64, ptr %p.n
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  %p.list = getelementptr i64, ptr %b, i64 @LIST@
  %list = load ptr, ptr %p.list
  %pc.0 = insertelement <16 x i32> poison, i32 %pc, i32 0
  %pc.all = shufflevector <16 x i32> %pc.0, <16 x i32> poison, <16 x i32> zeroinitializer
  br label %loop
loop:
  %w = phi i64 [ 0, %entry ], [ %w.next, %loop.next ]
  %numbers = phi <16 x i32> [ <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %entry ], [ %numbers.next, %loop.next ]
  %count = phi i64 [ 0, %entry ], [ %count.next, %loop.next ]
  %at = getelementptr i32, ptr %pcs, i64 %w
  %some = load <16 x i32>, ptr %at, align 64
  %same = icmp eq <16 x i32> %some, %pc.all
  %bits = bitcast <16 x i1> %same to i16
  %none = icmp eq i16 %bits, 0
  br i1 %none, label %loop.next, label %add
add:
  %to = getelementptr i32, ptr %list, i64 %count
  call void @llvm.masked.compressstore.v16i32(<16 x i32> %numbers, ptr %to, <16 x i1> %same)
  %more.16 = call i16 @llvm.ctpop.i16(i16 %bits)
  %more.64 = zext i16 %more.16 to i64
  %count.add = add i64 %count, %more.64
  br label %loop.next
loop.next:
  %count.next = phi i64 [ %count, %loop ], [ %count.add, %add ]
  %numbers.next = add <16 x i32> %numbers, splat (i32 16)
  %w.next = add i64 %w, 16
  %more = icmp ult i64 %w.next, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %count.next
}

; Return how many rounds the block at a pc may run for a warp before the next warp runs it. A loop that is
; one block without stores has the same in its memory for that long, if meanwhile no warp can get to a
; lower pc, which would run before it.
define internal i64 @turns(ptr %b, i32 %pc, i64 %n, i64 %most) #0 {
entry:
  %p.table = getelementptr i64, ptr %b, i64 @TABLE@
  %table = load ptr, ptr %p.table
  %at.64 = zext i32 %pc to i64
  %at = mul i64 %at.64, @RECORD_BYTES@
  %record = getelementptr i8, ptr %table, i64 %at
  %p.repeats = getelementptr i64, ptr %record, i64 @REPEATS@
  %repeats = load i64, ptr %p.repeats
  %may = icmp ne i64 %repeats, 0
  br i1 %may, label %start, label %no
start:
  %p.list = getelementptr i64, ptr %b, i64 @LIST@
  %list = load ptr, ptr %p.list
  %p.depth = getelementptr i64, ptr %b, i64 @DEPTH@
  %depths = load ptr, ptr %p.depth
  br label %warp
warp:
  %i = phi i64 [ 0, %start ], [ %i.next, %warp.next ]
  %w.p = getelementptr i32, ptr %list, i64 %i
  %w.32 = load i32, ptr %w.p
  %w = zext i32 %w.32 to i64
  %d.p = getelementptr i32, ptr %depths, i64 %w
  %d = load i32, ptr %d.p
  %stack = call ptr @stack_of(ptr %b, i64 %w)
  br label %below
below:
  %k = phi i32 [ %d, %warp ], [ %k.next, %look ]
  %none = icmp eq i32 %k, 0
  br i1 %none, label %warp.next, label %look
look:
  %k.next = sub i32 %k, 1
  %k.64 = zext i32 %k.next to i64
  %entry.p = getelementptr i128, ptr %stack, i64 %k.64
  %entry.pc = load i32, ptr %entry.p
  %is.lower = icmp ult i32 %entry.pc, %pc
  br i1 %is.lower, label %no, label %below
warp.next:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %warp, label %yes
yes:
  ret i64 %most
no:
  ret i64 1
}

; Run the block at a pc for the first `n` warps of the list, for each up to `turns` times in a row. Returns
; how many rounds that is, or 0 if the launch must not continue.
define internal i64 @block(ptr %b, i32 %pc, i64 %n, i64 %turns) #0 {
entry:
  %p.table = getelementptr i64, ptr %b, i64 @TABLE@
  %table = load ptr, ptr %p.table
  %p.list = getelementptr i64, ptr %b, i64 @LIST@
  %list = load ptr, ptr %p.list
  %p.masks = getelementptr i64, ptr %b, i64 @MASKS@
  %masks = load ptr, ptr %p.masks
  %p.live = getelementptr i64, ptr %b, i64 @LIVE@
  %lives = load ptr, ptr %p.live
  %p.memory = getelementptr i64, ptr %b, i64 @MEMORY@
  %memory = load ptr, ptr %p.memory
  %p.bytes = getelementptr i64, ptr %b, i64 @BYTES@
  %bytes = load i64, ptr %p.bytes
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  %p.watch = getelementptr i64, ptr %b, i64 @WATCH@
  %watches = load ptr, ptr %p.watch
  %p.steps = getelementptr i64, ptr %b, i64 @STEPS@
  %steps = load ptr, ptr %p.steps
  %p.waits = getelementptr i64, ptr %b, i64 @WAITS@
  %waits = load ptr, ptr %p.waits
  %p.limit = getelementptr i64, ptr %b, i64 @LIMIT@
  %limit.64 = load i64, ptr %p.limit
  %limit = trunc i64 %limit.64 to i32
  %first = zext i32 %pc to i64
  %is.once = icmp eq i64 %turns, 1
  %together.n = select i1 %is.once, i64 @TOGETHER@, i64 1
  br label %phase

; A phase is one segment, or several whose order among warps does not show: all warps execute one before
; any executes the next. Some warps execute the last phase before these are moved: where ways depend on
; what is loaded, the CPU then guesses wrong when the loads have ended.
phase:
  %p.0 = phi i64 [ %first, %entry ], [ %p.next, %phase.over ]
  %p.0.at = mul i64 %p.0, @RECORD_BYTES@
  %p.record = getelementptr i8, ptr %table, i64 %p.0.at
  %p.p.last = getelementptr i64, ptr %p.record, i64 @PHASE_LAST@
  %p.last = load i64, ptr %p.p.last
  %p.p.loop = getelementptr i64, ptr %p.record, i64 @LANE_LOOP@
  %loop = load ptr, ptr %p.p.loop
  %p.p.run = getelementptr i64, ptr %p.record, i64 @RUN@
  %run = load ptr, ptr %p.p.run
  %has.run = icmp ne ptr %run, null
  %p.p.most = getelementptr i64, ptr %p.record, i64 @MOST_LANES@
  %most = load i64, ptr %p.p.most
  %last.at = mul i64 %p.last, @RECORD_BYTES@
  %last.record = getelementptr i8, ptr %table, i64 %last.at
  %p.ends = getelementptr i64, ptr %last.record, i64 @ENDS@
  %ends = load i64, ptr %p.ends
  %is.last = icmp ne i64 %ends, 0
  %length = trunc i64 %ends to i32
  %p.kind = getelementptr i64, ptr %last.record, i64 @KIND@
  %kind = load i64, ptr %p.kind
  %p.following = getelementptr i64, ptr %last.record, i64 @NEXT@
  %next.64 = load i64, ptr %p.following
  %next = trunc i64 %next.64 to i32
  %p.target = getelementptr i64, ptr %last.record, i64 @TARGET@
  %target.64 = load i64, ptr %p.target
  %target = trunc i64 %target.64 to i32
  %p.join = getelementptr i64, ptr %last.record, i64 @JOIN@
  %join.64 = load i64, ptr %p.join
  %join = trunc i64 %join.64 to i32
  %p.condition = getelementptr i64, ptr %last.record, i64 @CONDITION@
  %condition = load i64, ptr %p.condition
  br label %some
some:
  %some.first = phi i64 [ 0, %phase ], [ %some.end, %some.next ]
  %runs.s = phi i64 [ 0, %phase ], [ %runs.next, %some.next ]
  %lanes.s = phi i64 [ 0, %phase ], [ %lanes.next, %some.next ]
  %compared.s = phi i64 [ 0, %phase ], [ %compared.next, %some.next ]
  %longest.s = phi i64 [ 1, %phase ], [ %longest.next, %some.next ]
  %some.most = add i64 %some.first, %together.n
  %some.end = call i64 @llvm.umin.i64(i64 %some.most, i64 %n)
  br label %turn
turn:
  %turn.i = phi i64 [ 0, %some ], [ %turn.next, %turn.over ]
  %lanes.t = phi i64 [ %lanes.s, %some ], [ %lanes.new, %turn.over ]
  %compared.t = phi i64 [ %compared.s, %some ], [ %compared.new, %turn.over ]
  br label %warp
warp:
  %i = phi i64 [ %some.first, %turn ], [ %i.next, %warp.over ]
  %w.p = getelementptr i32, ptr %list, i64 %i
  %w.32 = load i32, ptr %w.p
  %w = zext i32 %w.32 to i64
  %w.at = mul i64 %w, %bytes
  %w.block = getelementptr i8, ptr %memory, i64 %w.at
  %w.mask.p = getelementptr i64, ptr %masks, i64 %w
  %w.mask = load i64, ptr %w.mask.p
  %w.lanes = call i64 @llvm.ctpop.i64(i64 %w.mask)
  %is.few = icmp ule i64 %w.lanes, %most
  br i1 %is.few, label %in.turn, label %in.vectors
in.turn:
  %trapped = call i64 %loop(ptr %w.block, i64 %w.mask)
  %is.fine.too = icmp eq i64 %trapped, 0
  br i1 %is.fine.too, label %warp.over, label %failed
in.vectors:
  br i1 %has.run, label %call, label %warp.over
call:
  %trapped.too = call i64 %run(ptr %w.block, i64 %w.mask)
  %is.fine = icmp eq i64 %trapped.too, 0
  br i1 %is.fine, label %warp.over, label %failed
warp.over:
  %i.next = add i64 %i, 1
  %i.more = icmp ult i64 %i.next, %some.end
  br i1 %i.more, label %warp, label %some.over
some.over:
  br i1 %is.last, label %moved, label %some.next
failed:
  ret i64 0

; The last instruction moves the warps.
moved:
  %m.i = phi i64 [ %some.first, %some.over ], [ %m.i.next, %moved.over ]
  %lanes.m = phi i64 [ %lanes.t, %some.over ], [ %lanes.new, %moved.over ]
  %compared.m = phi i64 [ %compared.t, %some.over ], [ %compared.new, %moved.over ]
  %m.p = getelementptr i32, ptr %list, i64 %m.i
  %m.32 = load i32, ptr %m.p
  %m = zext i32 %m.32 to i64
  %m.mask.p = getelementptr i64, ptr %masks, i64 %m
  %mask = load i64, ptr %m.mask.p
  %m.pc.p = getelementptr i32, ptr %pcs, i64 %m
  %m.watch.p = getelementptr i32, ptr %watches, i64 %m
  %active = call i64 @llvm.ctpop.i64(i64 %mask)
  %lanes.new = add i64 %lanes.m, %active
  %steps.p = getelementptr i32, ptr %steps, i64 %m
  %m.steps = load i32, ptr %steps.p
  %m.steps.new = add i32 %m.steps, %length
  store i32 %m.steps.new, ptr %steps.p
  %watch = load i32, ptr %m.watch.p
  %compares = icmp ne i32 %watch, @NO@
  %compared = select i1 %compares, i64 %ends, i64 0
  %compared.new = add i64 %compared.m, %compared
  %is.spent = icmp ugt i32 %m.steps.new, %limit
  br i1 %is.spent, label %failed, label %kinds
kinds:
  switch i64 %kind, label %to [
    i64 @BRANCH@, label %branch
    i64 @EXIT@, label %exit
    i64 @BARRIER@, label %barrier
    i64 @TRAP@, label %failed
  ]
branch:
  %m.at = mul i64 %m, %bytes
  %m.block = getelementptr i8, ptr %memory, i64 %m.at
  %flags.p = getelementptr i8, ptr %m.block, i64 %condition
  %flags = load i64, ptr %flags.p
  %taken = and i64 %flags, %mask
  %none.taken = icmp eq i64 %taken, 0
  %same.place = icmp eq i32 %target, %next
  %falls = or i1 %none.taken, %same.place
  %every = icmp eq i64 %taken, %mask
  %together = or i1 %falls, %every
  %way = select i1 %falls, i32 %next, i32 %target
  br i1 %together, label %to, label %diverge
diverge:
  call void @diverge(ptr %b, i64 %m, i64 %mask, i64 %taken, i32 %target, i32 %next, i32 %join)
  br label %moved.over
exit:
  %e.live.p = getelementptr i64, ptr %lives, i64 %m
  %e.live = load i64, ptr %e.live.p
  %e.left = xor i64 %e.live, %mask
  store i64 %e.left, ptr %e.live.p
  %is.whole = icmp eq i64 %e.left, 0
  br i1 %is.whole, label %gone, label %returned
gone:
  store i32 @NO@, ptr %m.pc.p
  store i32 @NO@, ptr %m.watch.p
  store i64 0, ptr %m.mask.p
  br label %moved.over
returned:
  %still.runs = call i1 @return(ptr %b, i64 %m, i64 %mask)
  br i1 %still.runs, label %moved.over, label %failed
barrier:
  %a.live.p = getelementptr i64, ptr %lives, i64 %m
  %a.live = load i64, ptr %a.live.p
  %a.whole = icmp eq i64 %a.live, %mask
  br i1 %a.whole, label %arrive, label %failed
arrive:
  store i32 @NO@, ptr %m.pc.p
  %a.waits.p = getelementptr i32, ptr %waits, i64 %m
  store i32 %next, ptr %a.waits.p
  br label %moved.over
to:
  %pc.new = phi i32 [ %next, %kinds ], [ %way, %branch ]
  store i32 %pc.new, ptr %m.pc.p
  %is.watched = icmp eq i32 %pc.new, %watch
  br i1 %is.watched, label %joins, label %moved.over
joins:
  call void @arrive(ptr %b, i64 %m)
  br label %moved.over
moved.over:
  %m.i.next = add i64 %m.i, 1
  %m.more = icmp ult i64 %m.i.next, %some.end
  br i1 %m.more, label %moved, label %turn.over
turn.over:
  %turn.next = add i64 %turn.i, 1
  %pc.now = load i32, ptr %m.pc.p
  %is.here = icmp eq i32 %pc.now, %pc
  %has.turn = icmp ult i64 %turn.next, %turns
  %again = and i1 %is.here, %has.turn
  br i1 %again, label %turn, label %some.next

some.next:
  %turned = phi i64 [ 1, %some.over ], [ %turn.next, %turn.over ]
  %lanes.next = phi i64 [ %lanes.t, %some.over ], [ %lanes.new, %turn.over ]
  %compared.next = phi i64 [ %compared.t, %some.over ], [ %compared.new, %turn.over ]
  %some.n = sub i64 %some.end, %some.first
  %some.runs = mul i64 %some.n, %turned
  %runs.next = add i64 %runs.s, %some.runs
  %longest.next = call i64 @llvm.umax.i64(i64 %longest.s, i64 %turned)
  %some.more = icmp ult i64 %some.end, %n
  br i1 %some.more, label %some, label %phase.over
phase.over:
  %p.next = add i64 %p.last, 1
  br i1 %is.last, label %done, label %phase
done:
  %at.first = mul i64 %first, @RECORD_BYTES@
  %of.first = getelementptr i8, ptr %table, i64 %at.first
  %p.executions = getelementptr i64, ptr %of.first, i64 @EXECUTIONS@
  %executions = load i64, ptr %p.executions
  %executions.new = add i64 %executions, %runs.next
  store i64 %executions.new, ptr %p.executions
  %p.lanes = getelementptr i64, ptr %of.first, i64 @LANES@
  %lanes.0 = load i64, ptr %p.lanes
  %lanes.sum = add i64 %lanes.0, %lanes.next
  store i64 %lanes.sum, ptr %p.lanes
  %p.comparisons = getelementptr i64, ptr %b, i64 @COMPARISONS@
  %comparisons = load i64, ptr %p.comparisons
  %comparisons.new = add i64 %comparisons, %compared.next
  store i64 %comparisons.new, ptr %p.comparisons
  ret i64 %longest.next
}

; Let a branch divide a warp.
define internal void @diverge(ptr %b, i64 %w, i64 %mask, i64 %taken, i32 %target, i32 %fall, i32 %join) #0 noinline {
entry:
  %p.divergent = getelementptr i64, ptr %b, i64 @DIVERGENT@
  %divergent = load i64, ptr %p.divergent
  %divergent.new = add i64 %divergent, 1
  store i64 %divergent.new, ptr %p.divergent
  %p.depth = getelementptr i64, ptr %b, i64 @DEPTH@
  %depths = load ptr, ptr %p.depth
  %w.depth = getelementptr i32, ptr %depths, i64 %w
  %depth.0 = load i32, ptr %w.depth
  %stack = call ptr @stack_of(ptr %b, i64 %w)
  %is.whole = icmp eq i32 %depth.0, 0
  br i1 %is.whole, label %first, label %push
first:
  %first.rpc = getelementptr i32, ptr %stack, i64 1
  store i32 -1, ptr %first.rpc
  %first.mask = getelementptr i64, ptr %stack, i64 1
  store i64 %mask, ptr %first.mask
  br label %push
push:
  %depth = call i32 @llvm.umax.i32(i32 %depth.0, i32 1)
  %above.at = zext i32 %depth to i64
  %above = getelementptr i128, ptr %stack, i64 %above.at
  %top = getelementptr i128, ptr %above, i64 -1
  store i32 %join, ptr %top
  %not.taken = xor i64 %mask, %taken
  call void @set_entry(ptr %above, i32 %target, i32 %join, i64 %taken)
  %upper = getelementptr i128, ptr %above, i64 1
  call void @set_entry(ptr %upper, i32 %fall, i32 %join, i64 %not.taken)
  %depth.new = add i32 %depth, 2
  store i32 %depth.new, ptr %w.depth
  call void @settle(ptr %b, i64 %w)
  ret void
}

define internal void @set_entry(ptr %entry, i32 %pc, i32 %rpc, i64 %mask) #0 alwaysinline {
  store i32 %pc, ptr %entry
  %p.rpc = getelementptr i32, ptr %entry, i64 1
  store i32 %rpc, ptr %p.rpc
  %p.mask = getelementptr i64, ptr %entry, i64 1
  store i64 %mask, ptr %p.mask
  ret void
}

define internal ptr @stack_of(ptr %b, i64 %w) #0 alwaysinline {
  %p.stack = getelementptr i64, ptr %b, i64 @STACK@
  %stacks = load ptr, ptr %p.stack
  %p.bytes = getelementptr i64, ptr %b, i64 @STACK_BYTES@
  %bytes = load i64, ptr %p.bytes
  %at = mul i64 %w, %bytes
  %stack = getelementptr i8, ptr %stacks, i64 %at
  ret ptr %stack
}

; Pop the entry that has reached its re-convergence point.
define internal void @arrive(ptr %b, i64 %w) #0 noinline {
  %p.depth = getelementptr i64, ptr %b, i64 @DEPTH@
  %depths = load ptr, ptr %p.depth
  %w.depth = getelementptr i32, ptr %depths, i64 %w
  %depth = load i32, ptr %w.depth
  %depth.new = sub i32 %depth, 1
  store i32 %depth.new, ptr %w.depth
  call void @settle(ptr %b, i64 %w)
  ret void
}

; Remove the running lanes, which have returned, from a stack; false if no others can run.
define internal i1 @return(ptr %b, i64 %w, i64 %returned) #0 noinline {
entry:
  %p.depth = getelementptr i64, ptr %b, i64 @DEPTH@
  %depths = load ptr, ptr %p.depth
  %w.depth = getelementptr i32, ptr %depths, i64 %w
  %depth = load i32, ptr %w.depth
  %stack = call ptr @stack_of(ptr %b, i64 %w)
  %left = sub i32 %depth, 1
  store i32 %left, ptr %w.depth
  %n = zext i32 %left to i64
  %others = xor i64 %returned, -1
  %is.empty = icmp eq i64 %n, 0
  br i1 %is.empty, label %settle, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %entry.p = getelementptr i128, ptr %stack, i64 %i
  %p.mask = getelementptr i64, ptr %entry.p, i64 1
  %mask = load i64, ptr %p.mask
  %mask.new = and i64 %mask, %others
  store i64 %mask.new, ptr %p.mask
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %settle
settle:
  call void @settle(ptr %b, i64 %w)
  %p.masks = getelementptr i64, ptr %b, i64 @MASKS@
  %masks = load ptr, ptr %p.masks
  %w.mask = getelementptr i64, ptr %masks, i64 %w
  %running = load i64, ptr %w.mask
  %runs = icmp ne i64 %running, 0
  ret i1 %runs
}

; Pop entries that are empty or at their re-convergence point, then run the top.
define internal void @settle(ptr %b, i64 %w) #0 {
entry:
  %p.depth = getelementptr i64, ptr %b, i64 @DEPTH@
  %depths = load ptr, ptr %p.depth
  %w.depth = getelementptr i32, ptr %depths, i64 %w
  %depth.0 = load i32, ptr %w.depth
  %stack = call ptr @stack_of(ptr %b, i64 %w)
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  %w.pc = getelementptr i32, ptr %pcs, i64 %w
  %p.watch = getelementptr i64, ptr %b, i64 @WATCH@
  %watches = load ptr, ptr %p.watch
  %w.watch = getelementptr i32, ptr %watches, i64 %w
  %p.masks = getelementptr i64, ptr %b, i64 @MASKS@
  %masks = load ptr, ptr %p.masks
  %w.mask = getelementptr i64, ptr %masks, i64 %w
  br label %loop
loop:
  %depth = phi i32 [ %depth.0, %entry ], [ %below, %look ]
  %is.empty = icmp eq i32 %depth, 0
  br i1 %is.empty, label %nothing, label %look
nothing:
  store i32 0, ptr %w.depth
  store i32 @NO@, ptr %w.pc
  store i32 @NO@, ptr %w.watch
  store i64 0, ptr %w.mask
  ret void
look:
  %below = sub i32 %depth, 1
  %below.64 = zext i32 %below to i64
  %top = getelementptr i128, ptr %stack, i64 %below.64
  %pc = load i32, ptr %top
  %p.rpc = getelementptr i32, ptr %top, i64 1
  %rpc = load i32, ptr %p.rpc
  %p.mask = getelementptr i64, ptr %top, i64 1
  %mask = load i64, ptr %p.mask
  %no.lanes = icmp eq i64 %mask, 0
  %is.there = icmp eq i32 %pc, %rpc
  %is.done = or i1 %no.lanes, %is.there
  br i1 %is.done, label %loop, label %run
run:
  store i32 %depth, ptr %w.depth
  store i32 %pc, ptr %w.pc
  store i64 %mask, ptr %w.mask
  %is.open = icmp eq i32 %rpc, -1
  %watch = select i1 %is.open, i32 @NO@, i32 %rpc
  store i32 %watch, ptr %w.watch
  %p.deepest = getelementptr i64, ptr %b, i64 @DEEPEST@
  %deepest = load i64, ptr %p.deepest
  %depth.64 = zext i32 %depth to i64
  %deepest.new = call i64 @llvm.umax.i64(i64 %deepest, i64 %depth.64)
  store i64 %deepest.new, ptr %p.deepest
  ret void
}

; Open the barriers of workgroups that can only wait. Returns 1 if there was one, 0 if not, and 2 if not
; all work-items of a workgroup reach its barrier.
define internal i32 @open(ptr %b) #0 {
entry:
  %p.slots = getelementptr i64, ptr %b, i64 @SLOTS@
  %slots = load i64, ptr %p.slots
  %p.per = getelementptr i64, ptr %b, i64 @PER_GROUP@
  %per = load i64, ptr %p.per
  %p.pcs = getelementptr i64, ptr %b, i64 @PC@
  %pcs = load ptr, ptr %p.pcs
  %p.watch = getelementptr i64, ptr %b, i64 @WATCH@
  %watches = load ptr, ptr %p.watch
  %p.waits = getelementptr i64, ptr %b, i64 @WAITS@
  %waits = load ptr, ptr %p.waits
  %p.live = getelementptr i64, ptr %b, i64 @LIVE@
  %lives = load ptr, ptr %p.live
  %p.starters = getelementptr i64, ptr %b, i64 @STARTERS@
  %starters = load ptr, ptr %p.starters
  %p.arrive = getelementptr i64, ptr %b, i64 @EXITED_ARRIVE@
  %exited.arrive = load i64, ptr %p.arrive
  %p.barriers = getelementptr i64, ptr %b, i64 @BARRIERS@
  br label %slot
slot:
  %k = phi i64 [ 0, %entry ], [ %k.next, %slot.over ]
  %found = phi i32 [ 0, %entry ], [ %found.next, %slot.over ]
  %w.first = mul i64 %k, %per
  br label %look
look:
  %j = phi i64 [ 0, %slot ], [ %j.next, %look.next ]
  %low = phi i32 [ @NO@, %slot ], [ %low.next, %look.next ]
  %high = phi i32 [ -1, %slot ], [ %high.next, %look.next ]
  %missing = phi i64 [ 0, %slot ], [ %missing.next, %look.next ]
  %w = add i64 %w.first, %j
  %w.pc.p = getelementptr i32, ptr %pcs, i64 %w
  %w.pc = load i32, ptr %w.pc.p
  %runs = icmp ne i32 %w.pc, @NO@
  br i1 %runs, label %slot.over, label %look.next
look.next:
  %w.waits.p = getelementptr i32, ptr %waits, i64 %w
  %w.waits = load i32, ptr %w.waits.p
  %low.next = call i32 @llvm.umin.i32(i32 %low, i32 %w.waits)
  %high.next = call i32 @llvm.smax.i32(i32 %high, i32 %w.waits)
  %w.live.p = getelementptr i64, ptr %lives, i64 %w
  %w.live = load i64, ptr %w.live.p
  %w.starters.p = getelementptr i64, ptr %starters, i64 %w
  %w.starters = load i64, ptr %w.starters.p
  %gone = xor i64 %w.live, %w.starters
  %missing.next = or i64 %missing, %gone
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %per
  br i1 %more, label %look, label %looked
looked:
  %waiting = icmp ne i32 %high.next, -1
  br i1 %waiting, label %judge, label %slot.over
judge:
  %differ = icmp ne i32 %low.next, %high.next
  %some.gone = icmp ne i64 %missing.next, 0
  %strict = icmp eq i64 %exited.arrive, 0
  %lacks = and i1 %some.gone, %strict
  %is.divergent = or i1 %differ, %lacks
  br i1 %is.divergent, label %divergent, label %pass
divergent:
  ret i32 2
pass:
  %barriers = load i64, ptr %p.barriers
  %barriers.new = add i64 %barriers, 1
  store i64 %barriers.new, ptr %p.barriers
  br label %release
release:
  %r.j = phi i64 [ 0, %pass ], [ %r.j.next, %release.next ]
  %r.w = add i64 %w.first, %r.j
  %r.waits.p = getelementptr i32, ptr %waits, i64 %r.w
  %r.waits = load i32, ptr %r.waits.p
  %r.is = icmp ne i32 %r.waits, -1
  br i1 %r.is, label %go, label %release.next
go:
  store i32 -1, ptr %r.waits.p
  %r.pc.p = getelementptr i32, ptr %pcs, i64 %r.w
  store i32 %r.waits, ptr %r.pc.p
  %r.watch.p = getelementptr i32, ptr %watches, i64 %r.w
  %r.watch = load i32, ptr %r.watch.p
  %r.joins = icmp eq i32 %r.waits, %r.watch
  br i1 %r.joins, label %joined, label %release.next
joined:
  call void @arrive(ptr %b, i64 %r.w)
  br label %release.next
release.next:
  %r.j.next = add i64 %r.j, 1
  %r.more = icmp ult i64 %r.j.next, %per
  br i1 %r.more, label %release, label %slot.over
slot.over:
  %found.next = phi i32 [ %found, %look ], [ %found, %looked ], [ 1, %release.next ]
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %slots
  br i1 %k.more, label %slot, label %done
done:
  ret i32 %found.next
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i16 @llvm.ctpop.i16(i16)
declare i16 @llvm.cttz.i16(i16, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i64 @llvm.umax.i64(i64, i64)
declare <16 x i32> @llvm.umin.v16i32(<16 x i32>, <16 x i32>)
declare i32 @llvm.vector.reduce.umin.v16i32(<16 x i32>)
declare void @llvm.masked.compressstore.v16i32(<16 x i32>, ptr, <16 x i1>)

attributes #0 = { @ATTRIBUTES@ }
