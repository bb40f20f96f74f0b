; Arguments of a launch: numbers, and arrays of NumPy, whose fields hosts.py has. A part of direct.ll.

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

; Return whether an array of NumPy has the type, flags and shape of one with these fields (hosts.py).
define internal i1 @is.alike(ptr %array, ptr %fields) {
  %p.dimensions = getelementptr i8, ptr %array, i64 24
  %n = load i32, ptr %p.dimensions
  %p.shape = getelementptr i8, ptr %array, i64 32
  %shape = load ptr, ptr %p.shape
  %p.type = getelementptr i8, ptr %array, i64 56
  %type = load i64, ptr %p.type
  %p.flags = getelementptr i8, ptr %array, i64 64
  %flags = load i32, ptr %p.flags
  %q.n = getelementptr i64, ptr %fields, i64 1
  %had.n = load i64, ptr %q.n
  %q.type = getelementptr i64, ptr %fields, i64 2
  %had.type = load i64, ptr %q.type
  %q.flags = getelementptr i64, ptr %fields, i64 3
  %had.flags = load i64, ptr %q.flags
  %q.shape = getelementptr i64, ptr %fields, i64 9
  %n.64 = zext i32 %n to i64
  %flags.some = and i32 %flags, 1281
  %flags.64 = zext i32 %flags.some to i64
  %same.n = icmp eq i64 %n.64, %had.n
  %same.type = icmp eq i64 %type, %had.type
  %same.flags = icmp eq i64 %flags.64, %had.flags
  %same.1 = and i1 %same.type, %same.n
  %same = and i1 %same.1, %same.flags
  br i1 %same, label %head, label %other
head:
  %i = phi i64 [ 0, %0 ], [ %i.next, %size ]
  %more = icmp ult i64 %i, %had.n
  br i1 %more, label %size, label %equal
size:
  %p.size = getelementptr i64, ptr %shape, i64 %i
  %is = load i64, ptr %p.size
  %p.was = getelementptr i64, ptr %q.shape, i64 %i
  %was = load i64, ptr %p.was
  %i.next = add i64 %i, 1
  %same.size = icmp eq i64 %is, %was
  br i1 %same.size, label %head, label %other
equal:
  ret i1 true
other:
  ret i1 false
}

; Return the fields of parameter i of an entry, and the address of the array that is given for it;
; null if it is not an array of NumPy.
define internal { ptr, i64 } @host(ptr %args, ptr %own, i64 %i) {
  %at = mul i64 %i, 4
  %p.id = getelementptr i64, ptr %own, i64 %at
  %p.fields = getelementptr i64, ptr %p.id, i64 3
  %fields = load ptr, ptr %p.fields
  %is.host = icmp ne ptr %fields, null
  br i1 %is.host, label %host, label %none
host:
  %item = call ptr @PyTuple_GetItem(ptr %args, i64 %i)
  %p.data = getelementptr i8, ptr %item, i64 16
  %data = load i64, ptr %p.data
  %one = insertvalue { ptr, i64 } undef, ptr %fields, 0
  %both = insertvalue { ptr, i64 } %one, i64 %data, 1
  ret { ptr, i64 } %both
none:
  ret { ptr, i64 } zeroinitializer
}

; Return whether parameter i overlaps a later one.
define internal i1 @overlaps(ptr %args, ptr %own, i64 %count, i64 %i) {
  %mine = call { ptr, i64 } @host(ptr %args, ptr %own, i64 %i)
  %fields = extractvalue { ptr, i64 } %mine, 0
  %data = extractvalue { ptr, i64 } %mine, 1
  %is.host = icmp ne ptr %fields, null
  br i1 %is.host, label %begin, label %apart
begin:
  %p.size = getelementptr i64, ptr %fields, i64 4
  %size = load i64, ptr %p.size
  %end = add i64 %data, %size
  br label %head
head:
  %before = phi i64 [ %i, %begin ], [ %j, %look ], [ %j, %both ]
  %j = add i64 %before, 1
  %more = icmp ult i64 %j, %count
  br i1 %more, label %look, label %apart
look:
  %other = call { ptr, i64 } @host(ptr %args, ptr %own, i64 %j)
  %j.fields = extractvalue { ptr, i64 } %other, 0
  %j.data = extractvalue { ptr, i64 } %other, 1
  %j.host = icmp ne ptr %j.fields, null
  br i1 %j.host, label %both, label %head
both:
  %p.j.size = getelementptr i64, ptr %j.fields, i64 4
  %j.size = load i64, ptr %p.j.size
  %j.end = add i64 %j.data, %j.size
  %low = icmp ult i64 %data, %j.end
  %high = icmp ult i64 %j.data, %end
  %meet = and i1 %low, %high
  br i1 %meet, label %overlap, label %head
overlap:
  ret i1 true
apart:
  ret i1 false
}

; Let an entry be for the arrays of NumPy at the places of this launch; return whether that is right.
define internal i1 @placed(ptr %args, ptr %own, i64 %count, i64 %may.move) {
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %i.next, %look ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %right
look:
  %i.next = add i64 %i, 1
  %mine = call { ptr, i64 } @host(ptr %args, ptr %own, i64 %i)
  %fields = extractvalue { ptr, i64 } %mine, 0
  %data = extractvalue { ptr, i64 } %mine, 1
  %is.host = icmp ne ptr %fields, null
  %p.had = select i1 %is.host, ptr %fields, ptr %own
  %had = load i64, ptr %p.had
  %moved = icmp ne i64 %data, %had
  %has.moved = and i1 %is.host, %moved
  br i1 %has.moved, label %test, label %head
test:
  %can.move = icmp ne i64 %may.move, 0
  br i1 %can.move, label %pairs, label %wrong
pairs:
  %k = phi i64 [ 0, %test ], [ %k.next, %pair ]
  %k.more = icmp ult i64 %k, %count
  br i1 %k.more, label %pair, label %move
pair:
  %k.next = add i64 %k, 1
  %meet = call i1 @overlaps(ptr %args, ptr %own, i64 %count, i64 %k)
  br i1 %meet, label %wrong, label %pairs
move:
  %m = phi i64 [ 0, %pairs ], [ %m.next, %one ], [ %m.next, %write ], [ %m.next, %copied ]
  %m.more = icmp ult i64 %m, %count
  br i1 %m.more, label %one, label %right
one:
  %m.next = add i64 %m, 1
  %its = call { ptr, i64 } @host(ptr %args, ptr %own, i64 %m)
  %f = extractvalue { ptr, i64 } %its, 0
  %d = extractvalue { ptr, i64 } %its, 1
  %m.host = icmp ne ptr %f, null
  br i1 %m.host, label %write, label %move
write:
  store i64 %d, ptr %f
  %p.base = getelementptr i64, ptr %f, i64 5
  %base = load i64, ptr %p.base
  %delta = sub i64 %d, %base
  %p.everywhere = getelementptr i64, ptr %f, i64 6
  %everywhere = load ptr, ptr %p.everywhere
  store i64 %delta, ptr %everywhere
  %p.own = getelementptr i64, ptr %f, i64 7
  %its.own = load ptr, ptr %p.own
  store i64 %delta, ptr %its.own
  %p.copied = getelementptr i64, ptr %f, i64 8
  %copied.from = load ptr, ptr %p.copied
  %is.copied = icmp ne ptr %copied.from, null
  br i1 %is.copied, label %copied, label %move
copied:
  store i64 %d, ptr %copied.from
  br label %move
right:
  ret i1 true
wrong:
  ret i1 false
}
