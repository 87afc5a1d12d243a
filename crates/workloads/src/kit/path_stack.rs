//! Paths that are still to be visited, in one piece of memory. The last one is visited first.

use std::ffi::CStr;

use super::path::PathBuffer;

/// Paths with something about each, the last one on top.
pub(crate) struct PathStack<T> {
    /// All paths, each with its final NUL.
    paths: Vec<u8>,
    /// The start of each, and what is known of it.
    starts: Vec<(usize, T)>,
}

impl<T> Default for PathStack<T> {
    fn default() -> Self {
        Self { paths: Vec::new(), starts: Vec::new() }
    }
}

impl<T: Copy> PathStack<T> {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Adds a path.
    pub(crate) fn push(&mut self, path: &CStr, about: T) {
        self.starts.push((self.paths.len(), about));
        self.paths.extend_from_slice(path.to_bytes_with_nul());
    }

    /// Adds the path that has this name after `base`.
    pub(crate) fn push_name(&mut self, base: &PathBuffer, name: &CStr, about: T) {
        self.starts.push((self.paths.len(), about));
        self.paths.extend_from_slice(base.as_c_str().to_bytes());
        self.paths.extend_from_slice(name.to_bytes_with_nul());
    }

    /// Sets `path` to the last one and removes it. `None` if there is none.
    pub(crate) fn pop(&mut self, path: &mut PathBuffer) -> Option<T> {
        let (start, about) = self.starts.pop()?;
        path.cut(0);
        path.push_name(named(&self.paths[start..]));
        self.paths.truncate(start);
        Some(about)
    }

    /// Removes the first `count`, or fewer so that they have at most `bytes_max` bytes, but at least one.
    /// Calls `each` for them in their order.
    pub(crate) fn take_first(&mut self, count: usize, bytes_max: usize, mut each: impl FnMut(T, &CStr)) {
        let ends = self.starts.iter().skip(1).map(|(start, _)| *start).chain([self.paths.len()]);
        let fitting = ends.take(count).take_while(|end| *end <= bytes_max).count().max(1);
        let end = self.starts.get(fitting).map_or(self.paths.len(), |(start, _)| *start);
        for (start, about) in self.starts.drain(..fitting) {
            each(about, named(&self.paths[start..]));
        }
        self.paths.drain(..end);
        self.starts.iter_mut().for_each(|(start, _)| *start -= end);
    }
}

/// The path at the start of these bytes.
fn named(bytes: &[u8]) -> &CStr {
    CStr::from_bytes_until_nul(bytes).unwrap_or_default()
}
