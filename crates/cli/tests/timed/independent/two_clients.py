"""Whether a promise holds between two clients of a file system. Ends with 1 if it is broken.

Usage: two_clients.py PROMISE DIRECTORY THE-SAME-DIRECTORY-OF-THE-OTHER-CLIENT
"""
import fcntl, mmap, os, sys

here, there = (os.path.join(directory, "independent-two") for directory in sys.argv[2:4])
SIZE, ROUNDS = 8192, 1000


def descriptors():
    """The file, opened by both clients, with its data and facts in their caches."""
    both = [os.open(name, os.O_RDWR) for name in (here, there)]
    for one in both:
        os.pread(one, SIZE, 0)
        os.fstat(one)
    return both


def fresh(mine, other):
    return os.pread(mine, SIZE, 0) == os.pread(other, SIZE, 0) == b"b" * SIZE


def close_to_open():
    for one in descriptors():
        os.close(one)
    with open(here, "r+b") as file:
        file.write(b"b" * SIZE)
    return fresh(*descriptors())


def after_fsync():
    mine, other = descriptors()
    os.pwrite(mine, b"b" * SIZE, 0)
    os.fsync(mine)
    return fresh(mine, other)


def mapped():
    maps = [mmap.mmap(one, SIZE) for one in descriptors()]
    assert all(bytes(one) == b"a" * SIZE for one in maps)
    maps[0][:] = b"b" * SIZE
    maps[0].flush()
    return bytes(maps[1]) == b"b" * SIZE


def length():
    mine, other = descriptors()
    os.ftruncate(mine, 1000)
    return os.fstat(other).st_size == 1000


def mtime():
    mine, other = descriptors()
    os.utime(here, (1e9, 1e9))
    old = os.fstat(other).st_mtime
    os.pwrite(mine, b"b", 0)
    return os.fstat(other).st_mtime > max(old, 1e9)


def links():
    descriptors()
    os.link(here, here + ".link")
    counts = [os.stat(name).st_nlink for name in (here, there, there + ".link")]
    os.unlink(here + ".link")
    return counts == [2, 2, 2]


def unlinked():
    other = descriptors()[1]
    os.unlink(here)
    return os.fstat(other).st_nlink == 0


def in_two_processes(work):
    """Runs `work` on a client in this process, and on the other in a child. Whether both succeed."""
    child = os.fork()
    done = False
    try:
        done = work(there if child == 0 else here, 2 if child == 0 else 1) is not False
    finally:
        if child == 0:
            os._exit(not done)
    return os.waitpid(child, 0)[1] == 0 and done


def append():
    def work(name, number):
        file = os.open(name, os.O_WRONLY | os.O_APPEND)
        all(os.write(file, bytes([number]) * 100) for _ in range(ROUNDS))
        os.close(file)

    done = in_two_processes(work)
    with open(here, "rb") as file:
        records = file.read()[SIZE:]
    pieces = [records[at:at + 100] for at in range(0, len(records), 100)]
    return done and sorted(pieces) == [bytes([one]) * 100 for one in (1, 2) for _ in range(ROUNDS)]


def lock():
    file = os.open(here, os.O_RDWR)
    fcntl.lockf(file, fcntl.LOCK_EX)

    def work(name, number):
        if number == 1:
            return True
        try:
            fcntl.lockf(os.open(name, os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False

    return in_two_processes(work)


def under_lock():
    def work(name, _):
        file = os.open(name, os.O_RDWR)
        for _ in range(ROUNDS):
            fcntl.lockf(file, fcntl.LOCK_EX)
            os.pwrite(file, (int.from_bytes(os.pread(file, 8, 0), "big") + 1).to_bytes(8, "big"), 0)
            os.fsync(file)
            fcntl.lockf(file, fcntl.LOCK_UN)

    with open(here, "wb") as file:
        file.write(bytes(8))
    done = in_two_processes(work)
    with open(here, "rb") as file:
        return done and int.from_bytes(file.read(8), "big") == 2 * ROUNDS


def main():
    with open(here, "wb") as file:
        file.write(b"a" * SIZE)
    holds = globals()[sys.argv[1]]()
    print(f"{sys.argv[1]}: {'holds' if holds else 'broken'}")
    for name in (here, here + ".link"):
        if os.path.lexists(name):
            os.unlink(name)
    sys.exit(not holds)


main()
