//! The stream of bits that everything random starts from.
//!
//! It must never change: seeds are printed, recorded and published, and what follows from one is compared to the bit.

/// The SplitMix64 generator: 64 bits of state, a stream for each seed, the same on every machine.
///
/// It is no source of secrets.
/// The field is the state, and every state is a seed.
///
/// # Example
///
/// ```
/// use pullback_scalar::SplitMix64;
///
/// let mut bits = SplitMix64(0);
/// assert_eq!(bits.next_u64(), 0xe220_a839_7b1d_cdaf);
/// // The state alone says how it goes on.
/// let mut copy = SplitMix64(bits.0);
/// assert_eq!(copy.next_u64(), bits.next_u64());
/// ```
///
/// # Source
///
/// Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014; the constants are those of Vigna's `splitmix64.c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the reference implementation for the seed that its test vectors use.
    #[test]
    fn the_stream_is_that_of_the_reference() {
        let mut bits = SplitMix64(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(std::array::from_fn(|_| bits.next_u64()), expected);
    }
}
