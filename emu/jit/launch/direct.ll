; A prepared launch as a function that Python calls with a tuple of arguments, under METH_O.
;
; It returns the launch's result; the seconds of native code as a float, if they are more than the
; limit; after a trap -1 less the number of the entry; and None if nothing has run, because these
; arguments need the longer way. Its object is the address of a book of i64 (direct.py has the layout):
; the launch, a row for each parameter, and entries, each of which is one combination of arrays.

%timespec = type { i64, i64 }

declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyObject_Type(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare double @PyFloat_AsDouble(ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyNumber_Index(ptr)
declare i64 @PyLong_AsLongLong(ptr)
declare i64 @PyLong_AsUnsignedLongLong(ptr)
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyType_GenericAlloc(ptr, i64)
declare ptr @PyErr_Occurred()
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Clear()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @clock_gettime(i32, ptr)
declare double @llvm.fabs.f64(double)
declare i64 @llvm.umin.i64(i64, i64)
declare ptr @PyBytes_FromStringAndSize(ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @now() {
  %time = alloca %timespec
  %status = call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %p.rest = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %p.rest
  %all = mul i64 %seconds, 1000000000
  %result = add i64 %all, %rest
  ret i64 %result
}

; Clear the counts and marks of a launch, as `Scratch.clear` does.
define internal void @clear(ptr %cleared) {
  %n = load i64, ptr %cleared
  %first = getelementptr i64, ptr %cleared, i64 1
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %i.next, %one ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %one, label %done
one:
  %at = mul i64 %i, 2
  %p.memory = getelementptr i64, ptr %first, i64 %at
  %memory = load ptr, ptr %p.memory
  %p.size = getelementptr i64, ptr %p.memory, i64 1
  %size = load i64, ptr %p.size
  call void @llvm.memset.p0.i64(ptr %memory, i8 0, i64 %size, i1 false)
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}

; Copy what a launch may change, as `Copies.take` does.
define internal void @copy(ptr %copies) {
  %n = load i64, ptr %copies
  %first = getelementptr i64, ptr %copies, i64 1
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %i.next, %one ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %one, label %done
one:
  %at = mul i64 %i, 3
  %p.memory = getelementptr i64, ptr %first, i64 %at
  %memory = load ptr, ptr %p.memory
  %p.copy = getelementptr i64, ptr %p.memory, i64 1
  %copy = load ptr, ptr %p.copy
  %p.size = getelementptr i64, ptr %p.memory, i64 2
  %size = load i64, ptr %p.size
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %memory, i64 %size, i1 false)
  %i.next = add i64 %i, 1
  br label %head
done:
  ret void
}

; Return how many workgroups the next call of a kernel is for, after one that was for `done` and took
; so many nanoseconds: all that are left if they take less than 50 ms.
define internal i64 @next(i64 %done, i64 %left, i64 %spent) {
  %spent.f = sitofp i64 %spent to double
  %done.f = sitofp i64 %done to double
  %left.f = sitofp i64 %left to double
  %share = fdiv double %left.f, %done.f
  %expected = fmul double %spent.f, %share
  %is.short = fcmp olt double %expected, 5.0e7
  %is.quick = icmp ult i64 %spent, 1562500
  %is.half = icmp ult i64 %spent, 25000000
  %doubled = select i1 %is.half, i64 2, i64 1
  %growth = select i1 %is.quick, i64 16, i64 %doubled
  %longer = mul i64 %done, %growth
  %result = select i1 %is.short, i64 %left, i64 %longer
  ret i64 %result
}

define ptr @simtlab_direct(ptr %self, ptr %args) {
entry:
  %book = call ptr @PyLong_AsVoidPtr(ptr %self)
  %count = load i64, ptr %book
  %p.none = getelementptr i64, ptr %book, i64 4
  %none = load ptr, ptr %p.none
  %given = call i64 @PyTuple_Size(ptr %args)
  %p.entries = getelementptr i64, ptr %book, i64 1
  %entries = load i64, ptr %p.entries
  %params = getelementptr i64, ptr %book, i64 16
  %words = mul i64 %count, 4
  %first = getelementptr i64, ptr %params, i64 %words
  %stride = add i64 %words, 10
  %as.many = icmp eq i64 %given, %count
  br i1 %as.many, label %head, label %nothing
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %next ]
  %more = icmp ult i64 %e, %entries
  br i1 %more, label %look, label %nothing
look:
  %away = mul i64 %e, %stride
  %one = getelementptr i64, ptr %first, i64 %away
  %own = getelementptr i64, ptr %one, i64 10
  %state = load i64, ptr %one
  %idle = icmp eq i64 %state, 1
  br i1 %idle, label %table, label %next
table:
  %p.cell = getelementptr i64, ptr %one, i64 1
  %cell = load ptr, ptr %p.cell
  %current = load i64, ptr %cell
  %is.current = icmp eq i64 %current, 1
  br i1 %is.current, label %arrays, label %next
next:
  %e.next = add i64 %e, 1
  br label %head

arrays:
  %i = phi i64 [ 0, %table ], [ %i.next, %array.same ]
  %all = icmp eq i64 %i, %count
  br i1 %all, label %places, label %array
array:
  %at = mul i64 %i, 4
  %p.kind = getelementptr i64, ptr %params, i64 %at
  %kind = load i64, ptr %p.kind
  %is.array = icmp eq i64 %kind, 0
  br i1 %is.array, label %compare, label %array.same
compare:
  %item = call ptr @PyTuple_GetItem(ptr %args, i64 %i)
  %p.id = getelementptr i64, ptr %own, i64 %at
  %p.fields = getelementptr i64, ptr %p.id, i64 3
  %fields = load ptr, ptr %p.fields
  %is.host = icmp ne ptr %fields, null
  br i1 %is.host, label %host, label %device
device:
  %id = load ptr, ptr %p.id
  %same = icmp eq ptr %item, %id
  br i1 %same, label %array.same, label %next
host:
  %p.host.type = getelementptr i64, ptr %p.id, i64 1
  %host.type = load ptr, ptr %p.host.type
  %item.type = call ptr @PyObject_Type(ptr %item)
  call void @Py_DecRef(ptr %item.type)
  %is.array.of.numpy = icmp eq ptr %item.type, %host.type
  br i1 %is.array.of.numpy, label %look.host, label %next
look.host:
  %alike = call i1 @is.alike(ptr %item, ptr %fields)
  br i1 %alike, label %array.same, label %next
array.same:
  %i.next = add i64 %i, 1
  br label %arrays

places:
  %p.may.move = getelementptr i64, ptr %one, i64 7
  %may.move = load i64, ptr %p.may.move
  %right = call i1 @placed(ptr %args, ptr %own, i64 %count, i64 %may.move)
  br i1 %right, label %numbers, label %next
numbers:
  %p.kernargs = getelementptr i64, ptr %one, i64 4
  %kernargs = load ptr, ptr %p.kernargs
  br label %number.head
number.head:
  %j = phi i64 [ 0, %numbers ], [ %j.next, %number.next ]
  %done = icmp eq i64 %j, %count
  br i1 %done, label %run, label %number
number:
  %jt = mul i64 %j, 4
  %q.kind = getelementptr i64, ptr %params, i64 %jt
  %j.kind = load i64, ptr %q.kind
  %is.number = icmp ne i64 %j.kind, 0
  br i1 %is.number, label %changed, label %number.next
changed:
  %object = call ptr @PyTuple_GetItem(ptr %args, i64 %j)
  %q.id = getelementptr i64, ptr %own, i64 %jt
  %before = load ptr, ptr %q.id
  %q.state = getelementptr i64, ptr %q.id, i64 2
  %is.written = load i64, ptr %q.state
  %same.object = icmp eq ptr %object, %before
  %was.written = icmp ne i64 %is.written, 0
  %nothing.new = and i1 %same.object, %was.written
  br i1 %nothing.new, label %number.next, label %write
write:
  %q.type = getelementptr i64, ptr %q.id, i64 1
  %type = load ptr, ptr %q.type
  %q.offset = getelementptr i64, ptr %q.kind, i64 1
  %offset = load i64, ptr %q.offset
  %q.bits = getelementptr i64, ptr %q.kind, i64 2
  %bits = load i64, ptr %q.bits
  %to = getelementptr i8, ptr %kernargs, i64 %offset
  %now.written = zext i1 %same.object to i64
  store i64 %now.written, ptr %q.state
  %good = call i1 @write(ptr %object, ptr %type, i64 %j.kind, i64 %bits, ptr %to)
  br i1 %good, label %number.next, label %unwritten
unwritten:
  store i64 0, ptr %q.state
  br label %next
number.next:
  %j.next = add i64 %j, 1
  br label %number.head

run:
  store i64 2, ptr %one
  %p.function = getelementptr i64, ptr %book, i64 2
  %function = load ptr, ptr %p.function
  %p.groups = getelementptr i64, ptr %book, i64 3
  %groups = load i64, ptr %p.groups
  %p.table = getelementptr i64, ptr %one, i64 2
  %table.object = load ptr, ptr %p.table
  %p.context = getelementptr i64, ptr %one, i64 3
  %context = load ptr, ptr %p.context
  ; The table keeps host memory alive, whatever other threads free meanwhile.
  call void @Py_IncRef(ptr %table.object)
  %p.copies = getelementptr i64, ptr %one, i64 6
  %copies = load ptr, ptr %p.copies
  %p.first = getelementptr i64, ptr %book, i64 11
  %first.groups = load i64, ptr %p.first
  ; Python's lock is kept where releasing it would take longer than other threads wait for it.
  %p.bounded = getelementptr i64, ptr %book, i64 13
  %bounded = load i64, ptr %p.bounded
  %q.spent = getelementptr i64, ptr %one, i64 5
  %last.spent = load i64, ptr %q.spent
  %less.one = sub i64 %last.spent, 1
  %was.brief = icmp ult i64 %less.one, %bounded
  br i1 %was.brief, label %start.all, label %release
release:
  %released = call ptr @PyEval_SaveThread()
  br label %start.all
start.all:
  %thread = phi ptr [ null, %run ], [ %released, %release ]
  %start = call i64 @now()
  %p.cleared = getelementptr i64, ptr %one, i64 8
  %cleared = load ptr, ptr %p.cleared
  call void @clear(ptr %cleared)
  %is.copied = icmp ne ptr %copies, null
  br i1 %is.copied, label %copy, label %call
copy:
  call void @copy(ptr %copies)
  br label %call
; Workgroups in several calls of the kernel, between which Ctrl-C may end a long launch.
call:
  %from = phi i64 [ 0, %start.all ], [ 0, %copy ], [ %upto, %more.groups ], [ %upto, %go.on ]
  %step = phi i64 [ %first.groups, %start.all ], [ %first.groups, %copy ], [ %step.next, %more.groups ],
                  [ %step.next, %go.on ]
  %begin = phi i64 [ %start, %start.all ], [ %start, %copy ], [ %end, %more.groups ], [ %end, %go.on ]
  %looked = phi i64 [ %start, %start.all ], [ %start, %copy ], [ %looked, %more.groups ], [ %end, %go.on ]
  %state.of.thread = phi ptr [ %thread, %start.all ], [ %thread, %copy ],
                             [ %state.of.thread, %more.groups ], [ %thread.again, %go.on ]
  %left.before = sub i64 %groups, %from
  %done.groups = call i64 @llvm.umin.i64(i64 %step, i64 %left.before)
  %upto = add i64 %from, %done.groups
  %trapped = call i32 %function(ptr %context, i64 %from, i64 %upto)
  %end = call i64 @now()
  %is.good = icmp eq i32 %trapped, 0
  %is.last = icmp eq i64 %upto, %groups
  %not.good = xor i1 %is.good, true
  %is.over = or i1 %is.last, %not.good
  br i1 %is.over, label %over, label %more.groups
more.groups:
  %left = sub i64 %groups, %upto
  %took = sub i64 %end, %begin
  %step.next = call i64 @next(i64 %done.groups, i64 %left, i64 %took)
  %since = sub i64 %end, %looked
  %due = icmp ugt i64 %since, 50000000
  br i1 %due, label %signals, label %call
signals:
  call void @PyEval_RestoreThread(ptr %state.of.thread)
  %raised = call i32 @PyErr_CheckSignals()
  %is.raised = icmp ne i32 %raised, 0
  br i1 %is.raised, label %interrupted, label %go.on
go.on:
  %thread.again = call ptr @PyEval_SaveThread()
  br label %call
interrupted:
  store i64 1, ptr %one
  call void @Py_DecRef(ptr %table.object)
  ret ptr null
over:
  br i1 %was.brief, label %locked, label %lock
lock:
  call void @PyEval_RestoreThread(ptr %state.of.thread)
  br label %locked
locked:
  call void @Py_DecRef(ptr %table.object)
  br i1 %is.good, label %ended, label %trap
ended:
  %p.counts = getelementptr i64, ptr %one, i64 9
  %counts = load ptr, ptr %p.counts
  %is.counted = icmp ne ptr %counts, null
  br i1 %is.counted, label %counted, label %idle.again
counted:
  %p.bytes = getelementptr i64, ptr %book, i64 12
  %bytes = load i64, ptr %p.bytes
  %copied.counts = call ptr @PyBytes_FromStringAndSize(ptr %counts, i64 %bytes)
  br label %idle.again
idle.again:
  %statistics = phi ptr [ %none, %ended ], [ %copied.counts, %counted ]
  store i64 1, ptr %one
  %spent = sub i64 %end, %start
  store i64 %spent, ptr %q.spent
  %nanoseconds = sitofp i64 %spent to double
  %seconds = fmul double %nanoseconds, 1.0e-9
  %float = call ptr @PyFloat_FromDouble(double %seconds)
  %p.limit = getelementptr i64, ptr %book, i64 5
  %limit = load i64, ptr %p.limit
  %is.short = icmp sle i64 %spent, %limit
  br i1 %is.short, label %short, label %not.short
not.short:
  br i1 %is.counted, label %close, label %long
long:
  ret ptr %float
close:
  ; The result has the counts, so Python sees at the next launch that this one was long.
  store i64 0, ptr %p.entries
  br label %short
short:
  ; As Result.again makes it.
  %p.type = getelementptr i64, ptr %book, i64 6
  %result.type = load ptr, ptr %p.type
  %result = call ptr @PyType_GenericAlloc(ptr %result.type, i64 0)
  %no.result = icmp eq ptr %result, null
  br i1 %no.result, label %no.memory, label %result.made
result.made:
  %no.statistics = icmp eq ptr %statistics, null
  br i1 %no.statistics, label %no.memory, label %fill
no.memory:
  ret ptr null
fill:
  %p.launched = getelementptr i64, ptr %book, i64 7
  %launched = load ptr, ptr %p.launched
  call void @Py_IncRef(ptr %launched)
  br i1 %is.counted, label %set, label %share
share:
  call void @Py_IncRef(ptr %none)
  br label %set
set:
  %p.at = getelementptr i64, ptr %book, i64 8
  %at.launched = load i64, ptr %p.at
  %q.launched = getelementptr i8, ptr %result, i64 %at.launched
  store ptr %launched, ptr %q.launched
  %p.at.1 = getelementptr i64, ptr %book, i64 9
  %at.statistics = load i64, ptr %p.at.1
  %q.statistics = getelementptr i8, ptr %result, i64 %at.statistics
  store ptr %statistics, ptr %q.statistics
  %p.at.2 = getelementptr i64, ptr %book, i64 10
  %at.seconds = load i64, ptr %p.at.2
  %q.seconds = getelementptr i8, ptr %result, i64 %at.seconds
  store ptr %float, ptr %q.seconds
  ret ptr %result
trap:
  %until.trap = sub i64 %end, %start
  store i64 %until.trap, ptr %q.spent
  ; The entry stays in use until Python has read the trap.
  %number.1 = add i64 %e, 1
  %less = sub i64 0, %number.1
  %which = sitofp i64 %less to double
  %negative = call ptr @PyFloat_FromDouble(double %which)
  ret ptr %negative
nothing:
  call void @Py_IncRef(ptr %none)
  ret ptr %none
}

; Take an entry that is not in use, by its state; return whether it was not. Under Python's lock.
define i32 @simtlab_claim(ptr %state) {
  %is = load i64, ptr %state
  %free = icmp ult i64 %is, 2
  br i1 %free, label %take, label %leave
take:
  store i64 2, ptr %state
  ret i32 1
leave:
  ret i32 0
}
