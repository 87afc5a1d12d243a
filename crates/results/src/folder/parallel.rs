//! The same work on many files, on several processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// The most threads: an evaluation shares its machine with others.
const THREADS_MAX: usize = 8;

/// The results of `each` in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    let size = items.len().div_ceil(threads).max(1);
    let part = &|items: &[T]| items.iter().map(&each).collect::<Vec<R>>();
    thread::scope(|scope| {
        let (first, others) = items.split_at(size.min(items.len()));
        let others: Vec<_> = others
            .chunks(size)
            .map(|items| (items, thread::Builder::new().spawn_scoped(scope, move || part(items))))
            .collect();
        // What this thread allocates is in the memory that the rest of the program uses again.
        let mut results = Vec::with_capacity(items.len());
        results.extend(part(first));
        for (items, thread) in others {
            results.extend(match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // The limit of threads is reached.
                Err(_) => part(items),
            });
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_their_items() {
        for count in [0, 1, 7, 100] {
            let items: Vec<u32> = (0..count).collect();
            assert_eq!(
                in_parallel(&items, |one| one * 2),
                items.iter().map(|one| one * 2).collect::<Vec<_>>()
            );
        }
    }
}
