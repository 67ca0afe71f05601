//! A hash for the table of terms. Nothing rests on it: what is equal is found equal, whatever its hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A quick hash of small numbers: nobody is kept out by it, a slow table is all that a bad key gives.
#[derive(Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
}

/// A table with that hash.
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;
