"""Battle Line: nine flags, 60 Troops, ten Tactics, and claims that must be proved."""
