"""The workgroups of a launch in generated code: their order, identity, barriers, zeroed memory."""
