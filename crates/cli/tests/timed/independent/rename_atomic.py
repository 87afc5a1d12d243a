"""Whether a name always leads to a file while other files are renamed over it. Ends with 1 if not."""
import errno, os, sys, time
from collections import Counter

name = os.path.join(sys.argv[1], "independent-name")
open(name, "w").close()
end = time.monotonic() + float(sys.argv[2])
failures, opened = Counter(), 0
writer = os.fork()
while time.monotonic() < end:
    try:
        if writer == 0:
            open(name + ".new", "w").close()
            os.rename(name + ".new", name)
        else:
            os.close(os.open(name, os.O_RDONLY))
            opened += 1
    except OSError as error:
        failures[errno.errorcode[error.errno]] += 1
if writer == 0:
    os._exit(bool(failures))
failed = bool(failures) or os.waitpid(writer, 0)[1] != 0
print(f"{opened} opens found the name, others failed: {dict(failures)}")
for one in (name, name + ".new"):
    try:
        os.unlink(one)
    except FileNotFoundError:
        pass
sys.exit(failed)
