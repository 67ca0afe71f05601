//! The digest that ties a seal to the text of its statement.
//!
//! This file is the same here and in the macros, letter for letter; a test compares the two.

/// A digest of the text of a statement that the kernel proved: FNV-1a with 128 bits, started from a word of our own.
pub(crate) const fn digest(text: &str) -> u128 {
    const PRIME: u128 = (1 << 88) + 0x13b;
    const DOMAIN: &[u8] = b"pullback theorem 1\n";
    let mut state: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut index = 0;
    while index < DOMAIN.len() {
        state = (state ^ DOMAIN[index] as u128).wrapping_mul(PRIME);
        index += 1;
    }
    let bytes = text.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        state = (state ^ bytes[index] as u128).wrapping_mul(PRIME);
        index += 1;
    }
    state
}
