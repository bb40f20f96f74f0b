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
declare void @PyErr_Clear()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @clock_gettime(i32, ptr)
declare double @llvm.fabs.f64(double)

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

; Write a number of a type that was accepted before; return whether that is right.
define internal i1 @write(ptr %object, ptr %type, i64 %kind, i64 %bits, ptr %to) {
  %is.type = call ptr @PyObject_Type(ptr %object)
  call void @Py_DecRef(ptr %is.type)
  %same = icmp eq ptr %is.type, %type
  br i1 %same, label %read, label %bad
read:
  %is.float = icmp eq i64 %kind, 1
  br i1 %is.float, label %float, label %index
float:
  %x = call double @PyFloat_AsDouble(ptr %object)
  %error.x = call ptr @PyErr_Occurred()
  %good.x = icmp eq ptr %error.x, null
  br i1 %good.x, label %finite, label %clear
finite:
  %size = call double @llvm.fabs.f64(double %x)
  ; A NaN of NumPy would lose its bits; what a float cannot hold is an error.
  %is.single = icmp eq i64 %bits, 32
  %largest = select i1 %is.single, double 0x47EFFFFFE0000000, double 0x7FF0000000000000
  %fits.x = fcmp ole double %size, %largest
  br i1 %fits.x, label %store.float, label %bad
store.float:
  br i1 %is.single, label %single, label %double
single:
  %narrow = fptrunc double %x to float
  store float %narrow, ptr %to, align 1
  ret i1 true
double:
  store double %x, ptr %to, align 1
  ret i1 true
index:
  %whole = call ptr @PyNumber_Index(ptr %object)
  %is.whole = icmp ne ptr %whole, null
  br i1 %is.whole, label %long, label %clear
long:
  %is.signed = icmp eq i64 %kind, 2
  br i1 %is.signed, label %signed, label %unsigned
signed:
  %s = call i64 @PyLong_AsLongLong(ptr %whole)
  br label %converted
unsigned:
  %u = call i64 @PyLong_AsUnsignedLongLong(ptr %whole)
  br label %converted
converted:
  %v = phi i64 [ %s, %signed ], [ %u, %unsigned ]
  call void @Py_DecRef(ptr %whole)
  %error.v = call ptr @PyErr_Occurred()
  %good.v = icmp eq ptr %error.v, null
  br i1 %good.v, label %range, label %clear
range:
  %rest = sub i64 64, %bits
  %high = shl i64 %v, %rest
  %by.sign = ashr i64 %high, %rest
  %by.zero = lshr i64 %high, %rest
  %back = select i1 %is.signed, i64 %by.sign, i64 %by.zero
  %fits.v = icmp eq i64 %back, %v
  br i1 %fits.v, label %store, label %bad
store:
  switch i64 %bits, label %bad [
    i64 8, label %b8
    i64 16, label %b16
    i64 32, label %b32
    i64 64, label %b64
  ]
b8:
  %v8 = trunc i64 %v to i8
  store i8 %v8, ptr %to, align 1
  ret i1 true
b16:
  %v16 = trunc i64 %v to i16
  store i16 %v16, ptr %to, align 1
  ret i1 true
b32:
  %v32 = trunc i64 %v to i32
  store i32 %v32, ptr %to, align 1
  ret i1 true
b64:
  store i64 %v, ptr %to, align 1
  ret i1 true
clear:
  call void @PyErr_Clear()
  ret i1 false
bad:
  ret i1 false
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
  %stride = add i64 %words, 8
  %as.many = icmp eq i64 %given, %count
  br i1 %as.many, label %head, label %nothing
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %next ]
  %more = icmp ult i64 %e, %entries
  br i1 %more, label %look, label %nothing
look:
  %away = mul i64 %e, %stride
  %one = getelementptr i64, ptr %first, i64 %away
  %own = getelementptr i64, ptr %one, i64 8
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
  br i1 %all, label %numbers, label %array
array:
  %at = mul i64 %i, 4
  %p.kind = getelementptr i64, ptr %params, i64 %at
  %kind = load i64, ptr %p.kind
  %is.array = icmp eq i64 %kind, 0
  br i1 %is.array, label %compare, label %array.same
compare:
  %item = call ptr @PyTuple_GetItem(ptr %args, i64 %i)
  %p.id = getelementptr i64, ptr %own, i64 %at
  %id = load ptr, ptr %p.id
  %same = icmp eq ptr %item, %id
  br i1 %same, label %array.same, label %next
array.same:
  %i.next = add i64 %i, 1
  br label %arrays

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
  %thread = call ptr @PyEval_SaveThread()
  %start = call i64 @now()
  %trapped = call i32 %function(ptr %context, i64 0, i64 %groups)
  %end = call i64 @now()
  call void @PyEval_RestoreThread(ptr %thread)
  call void @Py_DecRef(ptr %table.object)
  %is.good = icmp eq i32 %trapped, 0
  br i1 %is.good, label %ended, label %trap
ended:
  store i64 1, ptr %one
  %spent = sub i64 %end, %start
  %nanoseconds = sitofp i64 %spent to double
  %seconds = fmul double %nanoseconds, 1.0e-9
  %float = call ptr @PyFloat_FromDouble(double %seconds)
  %p.limit = getelementptr i64, ptr %book, i64 5
  %limit = load i64, ptr %p.limit
  %is.short = icmp sle i64 %spent, %limit
  br i1 %is.short, label %short, label %long
long:
  ret ptr %float
short:
  ; As Result.again makes it.
  %p.type = getelementptr i64, ptr %book, i64 6
  %result.type = load ptr, ptr %p.type
  %result = call ptr @PyType_GenericAlloc(ptr %result.type, i64 0)
  %no.memory = icmp eq ptr %result, null
  br i1 %no.memory, label %long, label %fill
fill:
  %p.launched = getelementptr i64, ptr %book, i64 7
  %launched = load ptr, ptr %p.launched
  call void @Py_IncRef(ptr %launched)
  call void @Py_IncRef(ptr %none)
  %p.at = getelementptr i64, ptr %book, i64 8
  %at.launched = load i64, ptr %p.at
  %q.launched = getelementptr i8, ptr %result, i64 %at.launched
  store ptr %launched, ptr %q.launched
  %p.at.1 = getelementptr i64, ptr %book, i64 9
  %at.statistics = load i64, ptr %p.at.1
  %q.statistics = getelementptr i8, ptr %result, i64 %at.statistics
  store ptr %none, ptr %q.statistics
  %p.at.2 = getelementptr i64, ptr %book, i64 10
  %at.seconds = load i64, ptr %p.at.2
  %q.seconds = getelementptr i8, ptr %result, i64 %at.seconds
  store ptr %float, ptr %q.seconds
  ret ptr %result
trap:
  %q.spent = getelementptr i64, ptr %one, i64 5
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
