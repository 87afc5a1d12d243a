"""Whether a file with two names has a link count of 2, under both of them. Ends with 1 if not."""
import os, sys

name = os.path.join(sys.argv[1], "independent-file")
open(name, "w").close()
os.link(name, name + ".link")
counts = [os.stat(one).st_nlink for one in (name, name + ".link")]
os.unlink(name + ".link")
counts.append(os.stat(name).st_nlink)
os.unlink(name)
print(f"link counts {counts}, where POSIX has [2, 2, 1]")
sys.exit(counts != [2, 2, 1])
