"""A launch of native code: plan, workgroups on threads, traps."""
