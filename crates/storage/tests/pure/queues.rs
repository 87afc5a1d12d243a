//! Properties of every queue, run over the backends that have one, with and without O_DIRECT.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use command::Settings;
use command::{BACKENDS, Needs};
use ranks::{Comm, local};
use storage::{EndedTransfer, Mode, Op, Open, Parts, Queue, Storage, Wait};

const WRITE: Open =
    Open { mode: Mode::Write, shared: false, collective: false, bytes: 0, parts: Parts::NONE };
const READ: Open = Open { mode: Mode::Read, shared: false, collective: false, bytes: 0, parts: Parts::NONE };
const BLOCK: usize = 8192;
const DEPTH: usize = 16;

/// A queue under test, with its storage and directory.
struct Case<'t> {
    name: String,
    storage: &'t dyn Storage,
    comm: &'t dyn Comm,
    dir: &'t Path,
    queue: Box<dyn Queue>,
}

/// Calls `test` for every backend with a queue of `depth` slots of `bytes`. It runs on the file system of the
/// build, because one in memory has no O_DIRECT.
fn each_of(depth: Option<u32>, bytes: usize, test: impl Fn(Case<'_>)) {
    let mut queues = 0;
    for backend in BACKENDS.iter().filter(|backend| backend.needs == Needs::Nothing) {
        for direct in [false, true] {
            let mut settings = Settings::default();
            if direct && backend.options.iter().all(|option| option.name != "odirect") {
                continue;
            }
            settings.set(&format!("{}.odirect", backend.name), u8::from(direct).to_string());
            let storage =
                (storage::driver(backend.name).unwrap().open)(&settings).expect("the defaults are valid");
            assert_eq!(storage.direct(), direct, "{}", backend.name);
            let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let name = format!("{}, direct: {direct}", backend.name);
            let queue = match storage.queue(depth, bytes) {
                Ok(Some(queue)) => queue,
                Ok(None) => continue,
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    println!("SKIPPED: {name}: {error}");
                    continue;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            if direct && !has_odirect(&*storage, dir.path()) {
                println!("SKIPPED: {name}: the file system under the build has no O_DIRECT");
                continue;
            }
            queues += 1;
            test(Case { name, storage: &*storage, comm: &local::alone(), dir: dir.path(), queue });
        }
    }
    assert!(queues > 0, "at least aio has a queue on every machine");
}

fn each(test: impl Fn(Case<'_>)) {
    each_of(Some(DEPTH as u32), BLOCK, test);
}

fn has_odirect(storage: &dyn Storage, dir: &Path) -> bool {
    let opened = storage.open(&local::alone(), &dir.join("probe"), WRITE);
    !opened.is_err_and(|error| error.kind() == std::io::ErrorKind::InvalidInput)
}

fn pattern(seed: usize) -> Vec<u8> {
    (0..BLOCK).map(|index| (index as u8).wrapping_mul(31).wrapping_add(seed as u8)).collect()
}

/// Waits until no transfer is outstanding.
fn finish(queue: &mut dyn Queue, mut outstanding: usize) -> Vec<EndedTransfer> {
    let mut all = Vec::new();
    while outstanding > 0 {
        let before = all.len();
        queue.reap(Wait::ForOne, &mut all).unwrap();
        assert!(all.len() > before, "a reap that waits returns at least one transfer");
        outstanding -= all.len() - before;
    }
    all
}

/// Makes one transfer and returns its result.
fn one(queue: &mut dyn Queue, slot: usize, op: Op, from: usize, offset: u64) -> std::io::Result<usize> {
    queue.submit(slot, op, from, offset).unwrap();
    let mut ended = finish(queue, 1);
    let only = ended.pop().expect("one was submitted");
    assert_eq!(only.slot, slot);
    only.moved
}

#[test]
fn data_written_out_of_order_at_full_depth_is_read_back_intact() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        const BLOCKS: usize = 5 * DEPTH + 3;
        assert_eq!(queue.depth(), DEPTH, "{name}");
        let path = dir.join("f");
        for (op, how) in [(Op::Write, WRITE), (Op::Read, READ)] {
            let file = storage.open(comm, &path, how).unwrap();
            queue.attach(&*file).unwrap();
            let mut blocks = (0..BLOCKS).map(|index| index * 37 % BLOCKS);
            let mut free: Vec<usize> = (0..DEPTH).collect();
            let mut holds = [None; DEPTH];
            let (mut ended, mut done, mut deepest) = (Vec::new(), 0, 0);
            while done < BLOCKS {
                while let Some(slot) = free.pop() {
                    let Some(block) = blocks.next() else { break };
                    if op == Op::Write {
                        queue.buffer(slot).copy_from_slice(&pattern(block));
                    } else {
                        queue.buffer(slot).fill(0xee);
                    }
                    queue.submit(slot, op, 0, (block * BLOCK) as u64).unwrap();
                    holds[slot] = Some(block);
                }
                deepest = deepest.max(holds.iter().flatten().count());
                queue.reap(Wait::ForOne, &mut ended).unwrap();
                for EndedTransfer { slot, moved } in ended.drain(..) {
                    assert_eq!(moved.unwrap(), BLOCK, "{name}");
                    let block = holds[slot].take().expect("it was outstanding");
                    assert_eq!(queue.buffer(slot), pattern(block), "{name}, block {block}");
                    free.push(slot);
                    done += 1;
                }
            }
            assert_eq!(deepest, DEPTH, "{name}");
            queue.detach().unwrap();
            file.close().unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), BLOCKS * BLOCK);
        for (index, block) in bytes.chunks(BLOCK).enumerate() {
            assert_eq!(block, pattern(index), "{name}, block {index}");
        }
    });
}

#[test]
fn a_read_at_the_end_of_the_file_returns_the_existing_bytes() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        let path = dir.join("f");
        fs::write(&path, &pattern(1)[..5000]).unwrap();
        let file = storage.open(comm, &path, READ).unwrap();
        queue.attach(&*file).unwrap();
        assert_eq!(one(&mut *queue, 0, Op::Read, 0, 4096).unwrap(), 904, "{name}");
        assert_eq!(queue.buffer(0)[..904], pattern(1)[4096..5000]);
        assert_eq!(one(&mut *queue, 1, Op::Read, 0, 8192).unwrap(), 0, "{name}");
    });
}

#[test]
fn the_rest_of_a_transfer_can_be_submitted_separately() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        let path = dir.join("f");
        fs::write(&path, vec![9; BLOCK]).unwrap();
        let file = storage.open(comm, &path, WRITE).unwrap();
        queue.attach(&*file).unwrap();
        queue.buffer(3).copy_from_slice(&pattern(3));
        assert_eq!(one(&mut *queue, 3, Op::Write, 4096, 4096).unwrap(), BLOCK - 4096, "{name}");
        let found = fs::read(&path).unwrap();
        assert_eq!(found[..4096], [9; 4096], "{name}: the beginning did not change");
        assert_eq!(found[4096..], pattern(3)[4096..], "{name}");
        queue.buffer(5).fill(1);
        assert_eq!(one(&mut *queue, 5, Op::Read, 4096, 4096).unwrap(), BLOCK - 4096, "{name}");
        assert_eq!(queue.buffer(5)[..4096], [1; 4096], "{name}");
        assert_eq!(queue.buffer(5)[4096..], pattern(3)[4096..], "{name}");
    });
}

#[test]
fn a_failed_transfer_returns_its_reason_and_its_slot_can_be_reused() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        let path = dir.join("f");
        fs::write(&path, pattern(7)).unwrap();
        let file = storage.open(comm, &path, READ).unwrap();
        queue.attach(&*file).unwrap();
        // One transfer that fails among others that succeed, submitted together.
        for slot in 0..DEPTH {
            let op = if slot == 5 { Op::Write } else { Op::Read };
            queue.submit(slot, op, 0, 0).unwrap();
        }
        for EndedTransfer { slot, moved } in finish(&mut *queue, DEPTH) {
            match slot {
                5 => assert_eq!(moved.unwrap_err().raw_os_error(), Some(9), "{name}: EBADF"),
                _ => assert_eq!(moved.unwrap(), BLOCK, "{name}, slot {slot}"),
            }
        }
        assert_eq!(one(&mut *queue, 5, Op::Read, 0, 0).unwrap(), BLOCK, "{name}");
        assert_eq!(queue.buffer(5), pattern(7));
    });
}

#[test]
fn a_full_file_system_is_an_error_of_the_transfer_that_finds_it_full() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["-t", "tmpfs", "-o", "size=64k", "none"];
    if !Command::new("mount").args(words).arg(dir.path()).status().is_ok_and(|status| status.success()) {
        println!("SKIPPED: only root can mount a small file system");
        return;
    }
    let tried = std::panic::catch_unwind(|| {
        each(|Case { name, storage, comm, mut queue, .. }| {
            if storage.direct() {
                return;
            }
            let path = dir.path().join("f");
            let file = storage.open(comm, &path, WRITE).unwrap();
            queue.attach(&*file).unwrap();
            for slot in 0..DEPTH {
                queue.buffer(slot).fill(1);
                queue.submit(slot, Op::Write, 0, (slot * BLOCK) as u64).unwrap();
            }
            let ended = finish(&mut *queue, DEPTH);
            let whole = ended.iter().filter(|one| one.moved.as_ref().is_ok_and(|moved| *moved == BLOCK));
            let full = ended.iter().filter(|one| {
                one.moved.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::StorageFull)
            });
            assert!(whole.count() >= 4, "{name}: some of it fits");
            assert!(full.count() >= 4, "{name}: 128 KiB do not fit into 64: {ended:?}");
            queue.detach().unwrap();
            file.close().unwrap();
            fs::remove_file(&path).unwrap();
        });
    });
    let unmounted = Command::new("umount").arg("-l").arg(dir.path()).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    tried.unwrap();
}

#[test]
fn the_memory_of_a_dropped_queue_is_not_written_after_the_drop() {
    each(|Case { storage, comm, dir, queue, .. }| {
        drop(queue);
        let path = dir.join("f");
        fs::write(&path, vec![0xaa; DEPTH * BLOCK]).unwrap();
        let file = storage.open(comm, &path, READ).unwrap();
        for round in 0..20 {
            let mut queue =
                storage.queue(Some(DEPTH as u32), BLOCK).unwrap().expect("the backend has a queue");
            queue.attach(&*file).unwrap();
            let submit = |queue: &mut dyn Queue, slots: std::ops::Range<usize>| {
                slots.for_each(|slot| queue.submit(slot, Op::Read, 0, (slot * BLOCK) as u64).unwrap());
            };
            submit(&mut *queue, 0..DEPTH - 3);
            queue.reap(Wait::No, &mut Vec::new()).unwrap();
            if round % 2 == 0 {
                // Some of these may not have been sent when the queue is dropped.
                let mut ended = Vec::new();
                queue.reap(Wait::ForOne, &mut ended).unwrap();
                submit(&mut *queue, DEPTH - 3..DEPTH);
            }
            drop(queue);
            // New memory at the place of the buffers must not be written into.
            let after: Vec<Vec<u8>> = (0..DEPTH).map(|_| vec![0x11; BLOCK + 4096]).collect();
            std::thread::yield_now();
            assert!(after.iter().flatten().all(|byte| *byte == 0x11));
        }
    });
}

#[test]
fn a_queue_attached_to_another_file_releases_the_previous_one() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        for (index, file_name) in ["a", "b"].iter().enumerate() {
            let path = dir.join(file_name);
            let file = storage.open(comm, &path, WRITE).unwrap();
            // The lock belongs to the open file description: it stays until every descriptor of it is closed.
            let same = fs::File::from(file.descriptor().unwrap().try_clone().unwrap());
            same.lock().unwrap();
            drop(same);
            queue.attach(&*file).unwrap();
            queue.buffer(0).copy_from_slice(&pattern(index));
            assert_eq!(one(&mut *queue, 0, Op::Write, 0, 0).unwrap(), BLOCK, "{name}");
            queue.detach().unwrap();
            file.close().unwrap();
            // The kernel may release a file that was registered with a ring a little later.
            let until = Instant::now() + Duration::from_secs(10);
            while fs::File::open(&path).unwrap().try_lock().is_err() {
                assert!(Instant::now() < until, "{name}: still open");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        for (index, file_name) in ["a", "b"].iter().enumerate() {
            assert_eq!(fs::read(dir.join(file_name)).unwrap(), pattern(index), "{name}");
        }
    });
}

#[test]
fn a_queue_releases_a_file_only_when_no_transfer_is_outstanding() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        // All transfers that are sent at once, plus one that is not sent yet.
        for (outstanding, file_name) in [(DEPTH, "a"), (5, "b"), (1, "c")] {
            let path = dir.join(file_name);
            let file = storage.open(comm, &path, WRITE).unwrap();
            queue.attach(&*file).unwrap();
            for slot in 0..outstanding {
                queue.buffer(slot).copy_from_slice(&pattern(slot));
                queue.submit(slot, Op::Write, 0, (slot * BLOCK) as u64).unwrap();
            }
            queue.detach().unwrap();
            file.close().unwrap();
            let bytes = fs::read(&path).unwrap();
            assert_eq!(bytes.len(), outstanding * BLOCK, "{name}");
            assert_eq!(queue.buffer(0), pattern(0), "{name}: the caller owns the slot again");
        }
    });
}

#[test]
fn without_outstanding_transfers_a_reap_that_waits_returns() {
    each(|Case { name, storage, comm, dir, mut queue }| {
        let file = storage.open(comm, &dir.join("f"), WRITE).unwrap();
        queue.attach(&*file).unwrap();
        let mut ended = Vec::new();
        queue.reap(Wait::ForOne, &mut ended).unwrap();
        queue.reap(Wait::No, &mut ended).unwrap();
        assert!(ended.is_empty(), "{name}");
    });
}

#[test]
fn the_caller_or_the_backend_chooses_the_depth() {
    each_of(None, 4096, |Case { name, queue, .. }| {
        let own = if name.starts_with("aio") { 128 } else { 64 };
        assert_eq!(queue.depth(), own, "{name}");
    });
    each_of(Some(1), 4096, |Case { name, storage, comm, dir, mut queue }| {
        assert_eq!(queue.depth(), 1, "{name}");
        let file = storage.open(comm, &dir.join("f"), WRITE).unwrap();
        queue.attach(&*file).unwrap();
        for block in 0..3_u64 {
            assert_eq!(one(&mut *queue, 0, Op::Write, 0, block * 4096).unwrap(), 4096, "{name}");
        }
    });
}

#[test]
fn unregistered_buffers_move_the_same_bytes() {
    let mut settings = Settings::default();
    settings.set("uring.plain-buffers", "1");
    let storage = (storage::driver("uring").unwrap().open)(&settings).unwrap();
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut queue = match storage.queue(Some(4), BLOCK) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            println!("SKIPPED: {error}");
            return;
        }
        made => made.unwrap().expect("the backend has a queue"),
    };
    let file = storage.open(&local::alone(), &dir.path().join("f"), WRITE).unwrap();
    queue.attach(&*file).unwrap();
    queue.buffer(2).copy_from_slice(&pattern(2));
    assert_eq!(one(&mut *queue, 2, Op::Write, 0, 0).unwrap(), BLOCK);
    assert_eq!(one(&mut *queue, 1, Op::Read, 0, 0).unwrap(), BLOCK);
    assert_eq!(queue.buffer(1), pattern(2));
}

#[test]
fn aio_waits_for_a_group_when_all_slots_are_outstanding() {
    let mut settings = Settings::default();
    settings.set("aio.max-pending", "32");
    settings.set("aio.granularity", "8");
    // Through the page cache all transfers would have ended before the wait.
    settings.set("aio.odirect", "1");
    let storage = (storage::driver("aio").unwrap().open)(&settings).unwrap();
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("f");
    fs::write(&path, vec![1; 32 * BLOCK]).unwrap();
    if !has_odirect(&*storage, dir.path()) {
        println!("SKIPPED: the file system under the build has no O_DIRECT");
        return;
    }
    let file = storage.open(&local::alone(), &path, READ).unwrap();
    let mut queue = storage.queue(None, BLOCK).unwrap().expect("the backend has a queue");
    queue.attach(&*file).unwrap();
    let submit = |queue: &mut dyn Queue, slot: usize| {
        queue.submit(slot, Op::Read, 0, (slot * BLOCK) as u64).unwrap();
    };
    (0..32).for_each(|slot| submit(&mut *queue, slot));
    let mut ended = Vec::new();
    queue.reap(Wait::ForOne, &mut ended).unwrap();
    assert!(ended.len() >= 8, "at least one group, not {}", ended.len());
    let rest = 32 - ended.len();
    assert_eq!(finish(&mut *queue, rest).len(), rest);
}
