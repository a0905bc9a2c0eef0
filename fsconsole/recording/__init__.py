"""What happened: samples, runs on disk, logs. It knows no machine; it takes what it is given."""
