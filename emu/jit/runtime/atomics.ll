; Whether a call of native code may change global memory by plain loads and stores in place of
; atomic instructions, which take ten times as long: only if no other thread runs native code at the
; same time. The first thread that asks owns this right for the life of the process, or until
; another thread of Python calls native code with atomics: from then on all calls are atomic.
; Threads among which one launch is shared out never have it.
;
; context.py: slot 29 is 1 where several threads run the launch; slot 30 says whether atomics are
; plain in this call.

@simtlab_owner = internal global i64 0
@simtlab_has_others = internal global i64 0
@simtlab_is_running = internal global i64 0

declare ptr @llvm.thread.pointer()

define i32 @simtlab_begin_atomics(ptr %ctx) #0 {
entry:
  %p.plain = getelementptr i64, ptr %ctx, i64 30
  store i64 0, ptr %p.plain
  %p.several = getelementptr i64, ptr %ctx, i64 29
  %several = load i64, ptr %p.several
  %is.shared = icmp ne i64 %several, 0
  %known = load i1, ptr @simtlab_knows_threads
  %unknown = xor i1 %known, true
  %atomic = or i1 %is.shared, %unknown
  br i1 %atomic, label %done, label %look
look:
  %here = call ptr @llvm.thread.pointer()
  %me = ptrtoint ptr %here to i64
  %pair = cmpxchg ptr @simtlab_owner, i64 0, i64 %me seq_cst seq_cst
  %owner = extractvalue { i64, i1 } %pair, 0
  %is.first = icmp eq i64 %owner, 0
  %is.owner = icmp eq i64 %owner, %me
  %is.mine = or i1 %is.first, %is.owner
  br i1 %is.mine, label %try, label %other
try:
  ; Either this thread sees that there are others, or they see that it runs.
  %was = atomicrmw xchg ptr @simtlab_is_running, i64 1 seq_cst
  %others = load atomic i64, ptr @simtlab_has_others seq_cst, align 8
  %alone = icmp eq i64 %others, 0
  br i1 %alone, label %plain, label %leave
plain:
  store i64 1, ptr %p.plain
  ret i32 0
leave:
  store atomic i64 0, ptr @simtlab_is_running release, align 8
  ret i32 0
other:
  %before = atomicrmw xchg ptr @simtlab_has_others, i64 1 seq_cst
  br label %wait
wait:
  %running = load atomic i64, ptr @simtlab_is_running seq_cst, align 8
  %ended = icmp eq i64 %running, 0
  br i1 %ended, label %done, label %wait
done:
  ret i32 0
}

define i32 @simtlab_end_atomics(ptr %ctx) #0 {
entry:
  %p.plain = getelementptr i64, ptr %ctx, i64 30
  %plain = load i64, ptr %p.plain
  %is.plain = icmp ne i64 %plain, 0
  br i1 %is.plain, label %leave, label %done
leave:
  store atomic i64 0, ptr @simtlab_is_running release, align 8
  br label %done
done:
  ret i32 0
}

; Forget the owner and the others.
define i32 @simtlab_reset_atomics() #0 {
entry:
  store atomic i64 0, ptr @simtlab_is_running seq_cst, align 8
  store atomic i64 0, ptr @simtlab_has_others seq_cst, align 8
  store atomic i64 0, ptr @simtlab_owner seq_cst, align 8
  ret i32 0
}
