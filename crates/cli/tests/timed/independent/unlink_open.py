"""Whether an open file without a name has no link, and keeps its data. Ends with 1 if not."""
import os, sys

name = os.path.join(sys.argv[1], "independent-open")
file = os.open(name, os.O_CREAT | os.O_RDWR)
os.write(file, b"before")
os.unlink(name)
links = os.fstat(file).st_nlink
os.pwrite(file, b"after", 6)
data = os.pread(file, 12, 0)
print(f"{links} links and {data}, where POSIX has 0 and b'beforeafter'")
sys.exit(links != 0 or data != b"beforeafter")
