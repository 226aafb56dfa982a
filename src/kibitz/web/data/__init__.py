"""The data folder of a server: backups and their archives."""
