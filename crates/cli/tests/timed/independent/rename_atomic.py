"""Whether a name always leads to a file while other files are renamed over it. Ends with 1 if not."""
import errno, os, sys, time
from collections import Counter

name = os.path.join(sys.argv[1], "independent-name")
open(name, "w").close()
end = time.monotonic() + float(sys.argv[2])
failures, opened, writers = Counter(), 0, []
while len(writers) < int(sys.argv[3]) and 0 not in writers:
    new = f"{name}.{len(writers)}"
    writers.append(os.fork())
while time.monotonic() < end:
    try:
        if 0 in writers:
            open(new, "w").close()
            os.rename(new, name)
        else:
            os.close(os.open(name, os.O_RDONLY))
            opened += 1
    except OSError as error:
        failures[errno.errorcode[error.errno]] += 1
if 0 in writers:
    os._exit(bool(failures))
ended = [os.waitpid(writer, 0)[1] for writer in writers]
print(f"{opened} opens found the name, others failed: {dict(failures)}; status of the writers: {ended}")
for one in (name, *(f"{name}.{number}" for number in range(len(writers)))):
    try:
        os.unlink(one)
    except FileNotFoundError:
        pass
sys.exit(bool(failures) or any(ended))
