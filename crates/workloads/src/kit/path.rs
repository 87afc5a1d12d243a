//! Paths in the form that the kernel takes, changed in place, so that a loop over a million names copies
//! none.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path with its final NUL. A path from a command line has no NUL inside; other paths are cut at their
/// first NUL.
pub fn c_path(path: &Path) -> CString {
    let bytes = path.as_os_str().as_bytes();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

/// A path that is changed at its end.
///
/// Invariant: it ends with a NUL and has no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathBuffer {
    /// The path with its NUL.
    bytes: Vec<u8>,
}

/// An empty path.
impl Default for PathBuffer {
    fn default() -> Self {
        Self { bytes: vec![0] }
    }
}

impl PathBuffer {
    /// Begins with `path`.
    pub fn new(path: &Path) -> Self {
        Self { bytes: c_path(path).into_bytes_with_nul() }
    }

    /// Bytes without the NUL; a value for [`PathBuffer::cut`].
    pub fn len(&self) -> usize {
        self.bytes.len() - 1
    }

    /// Whether the path holds only the NUL.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies another path into the existing memory.
    pub fn copy(&mut self, other: &Self) -> &mut Self {
        self.bytes.clear();
        self.bytes.extend_from_slice(&other.bytes);
        self
    }

    /// Cuts the path to its first `length` bytes.
    #[inline]
    pub fn cut(&mut self, length: usize) {
        self.bytes.truncate(length);
        self.bytes.push(0);
    }

    /// Appends text without a NUL.
    #[inline]
    pub fn push(&mut self, text: &str) -> &mut Self {
        debug_assert!(!text.contains('\0'));
        self.bytes.pop();
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        self
    }

    /// Appends a name as the system returned it.
    #[inline]
    pub fn push_name(&mut self, name: &CStr) -> &mut Self {
        self.bytes.pop();
        self.bytes.extend_from_slice(name.to_bytes_with_nul());
        self
    }

    /// Appends a number in decimal.
    #[inline]
    pub fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.bytes.pop();
        self.bytes.extend_from_slice(&digits[first..]);
        self.bytes.push(0);
        self
    }

    /// For a system call.
    #[inline]
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_with_nul(&self.bytes).unwrap_or_default()
    }

    /// For everything else.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.bytes[..self.len()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_grows_and_is_cut_back() {
        let mut path = PathBuffer::new(Path::new("/a/tree"));
        let root = path.len();
        for (number, name) in [(0, "/a/tree/f.0.x"), (7, "/a/tree/f.7.x"), (u64::MAX, "")] {
            path.cut(root);
            path.push("/f.").number(number).push(".x");
            let wanted = if name.is_empty() { format!("/a/tree/f.{number}.x") } else { name.to_owned() };
            assert_eq!(path.as_path(), Path::new(&wanted));
            assert_eq!(path.as_c_str().to_str(), Ok(wanted.as_str()));
        }
        path.cut(root);
        path.push("/").push_name(c"\xff");
        assert_eq!(path.as_c_str(), c"/a/tree/\xff");
        let mut other = PathBuffer::new(Path::new("/something/longer/than/that"));
        other.copy(&path).push("x");
        assert_eq!(other.as_path().display().to_string(), format!("{}x", path.as_path().display()));
        assert!(PathBuffer::default().is_empty() && PathBuffer::default().as_c_str() == c"");
        assert_eq!(c_path(Path::new("a\0b")).as_c_str(), c"a");
    }
}
