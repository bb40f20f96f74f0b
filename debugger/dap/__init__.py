"""The Debug Adapter Protocol over a session, for editors."""
