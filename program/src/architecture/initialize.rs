//! Values for parameters, from an explicit key.
//!
//! The numbers are a function of the key and the path of the parameter, and of nothing else:
//! neither of the other parameters, nor of the machine, nor of the version of this crate.
//!
//! | step | what it is |
//! | --- | --- |
//! | state | the first output of SplitMix64 at `key`, exclusive-or the 64-bit FNV-1a hash of the path's bytes |
//! | bits | SplitMix64 (Steele, Lea, Flood 2014) from that state |
//! | uniform | the upper 53 bits times 2⁻⁵³: in `[0, 1)` |
//! | normal | Marsaglia's polar method: `u = 2 U - 1` and `v = 2 U' - 1` until `0 < s = u² + v² < 1`, then `u √(-2 ln s / s)`; `v` is not used |
//! | `ln s` | `e ln 2 + 2 Σ zⁿ/n` over odd n up to 29, for `s = m 2ᵉ`, `√½ ≤ m < √2`, `z = (m - 1)/(m + 1)`, summed from the last term |
//!
//! All of it is additions, products, quotients and roots of doubles, which IEEE 754 rounds correctly: no function of a platform's library is called.

use super::Architecture;
use super::error::ArchitectureError;
use super::parameters::Parameters;
use super::signature::{Parameter, Role};
use crate::random::Random;

/// The random numbers of one parameter. See the module docs for the method.
#[derive(Clone, Debug)]
pub struct Stream(Random);

impl Stream {
    /// The numbers for a path under a key.
    pub fn new(key: u64, path: &str) -> Stream {
        let hash = path
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Stream(Random(Random(key).next_u64() ^ hash))
    }

    /// A number in `[0, 1)`: 53 bits.
    pub fn uniform(&mut self) -> f64 {
        const PLACE: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * PLACE
    }

    /// A number with mean 0 and variance 1, normally distributed.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * logarithm(s) / s).sqrt();
            }
        }
    }
}

/// The natural logarithm of a positive normal number, by basic operations alone.
fn logarithm(s: f64) -> f64 {
    let bits = s.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let z = (m - 1.0) / (m + 1.0);
    let square = z * z;
    let mut sum = 0.0;
    for n in (0..15).rev() {
        sum = sum * square + 1.0 / (2 * n + 1) as f64;
    }
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * z * sum
}

/// How the values of a parameter are drawn.
///
/// The fans are those of its [`Role`]; for what is no weight, its first and its last size.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        deny_unknown_fields,
        expecting = "an initialiser: a word such as `he_normal`, or an object with `uniform` or `normal`"
    )
)]
pub enum Initializer {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// Uniform between two numbers.
    Uniform {
        /// The lower.
        low: f64,
        /// The upper.
        high: f64,
    },
    /// Normal.
    Normal {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// Uniform with variance `2 / (fan_in + fan_out)` (Glorot, Bengio 2010).
    GlorotUniform,
    /// Normal with that variance.
    GlorotNormal,
    /// Uniform with variance `2 / fan_in` (He et al. 2015).
    HeUniform,
    /// Normal with that variance.
    HeNormal,
}

/// What no draw of [`Stream::normal`] is past: `√(-2 ln 2⁻¹⁰⁴)` is 12.01, and `s` is a sum of multiples of 2⁻¹⁰⁴.
const NORMAL: f64 = 13.0;

impl Initializer {
    /// Whether all numbers that it may give are finite, and its bounds in order.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError::Initializer`] with the path of the parameter and what would be right.
    pub fn check(&self, path: &str) -> Result<(), ArchitectureError> {
        let (holds, found, required) = match *self {
            Initializer::Uniform { low, high } => (
                low <= high && (high - low).is_finite(),
                format!("uniform from {low:?} to {high:?}"),
                "between finite bounds, the lower one first, whose distance is finite",
            ),
            Initializer::Normal { mean, deviation } => (
                deviation >= 0.0 && (mean.abs() + NORMAL * deviation).is_finite(),
                format!("normal with mean {mean:?} and deviation {deviation:?}"),
                "of a finite mean and of a finite deviation that is not negative",
            ),
            _ => return Ok(()),
        };
        if holds { Ok(()) } else { Err(ArchitectureError::Initializer { path: path.to_owned(), found, required }) }
    }

    /// The values of a parameter under a key, as they are: [`check`](Initializer::check) says whether they are numbers.
    pub fn values(&self, key: u64, parameter: &Parameter) -> Vec<f64> {
        let mut stream = Stream::new(key, &parameter.path);
        let (fan_in, fan_out) = fans(parameter);
        let both = 2.0 / (fan_in + fan_out);
        let mut one = || match *self {
            Initializer::Zeros => 0.0,
            Initializer::Ones => 1.0,
            Initializer::Uniform { low, high } => low + (high - low) * stream.uniform(),
            Initializer::Normal { mean, deviation } => mean + deviation * stream.normal(),
            Initializer::GlorotUniform => (3.0 * both).sqrt() * (2.0 * stream.uniform() - 1.0),
            Initializer::GlorotNormal => both.sqrt() * stream.normal(),
            Initializer::HeUniform => (6.0 / fan_in).sqrt() * (2.0 * stream.uniform() - 1.0),
            Initializer::HeNormal => (2.0 / fan_in).sqrt() * stream.normal(),
        };
        (0..parameter.shape.elements()).map(|_| one()).collect()
    }
}

fn fans(parameter: &Parameter) -> (f64, f64) {
    let sizes = parameter.shape.sizes();
    let size = |size: Option<&usize>| size.copied().unwrap_or(1) as f64;
    match parameter.role {
        Role::Weight { fan_in, fan_out } => (fan_in as f64, fan_out as f64),
        _ => (size(sizes.first()), size(sizes.last())),
    }
}

/// An initialiser for each role.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct Initializers {
    /// For weights.
    pub weight: Initializer,
    /// For biases.
    pub bias: Initializer,
    /// For gains.
    pub gain: Initializer,
    /// For tables.
    pub table: Initializer,
    /// For initial states.
    pub state: Initializer,
    /// For parameters of no layer.
    pub free: Initializer,
}

impl Default for Initializers {
    /// Glorot's uniform for weights, standard normal for tables, ones for gains, zeros for all else.
    fn default() -> Self {
        Initializers {
            weight: Initializer::GlorotUniform,
            bias: Initializer::Zeros,
            gain: Initializer::Ones,
            table: Initializer::Normal { mean: 0.0, deviation: 1.0 },
            state: Initializer::Zeros,
            free: Initializer::Zeros,
        }
    }
}

impl Initializers {
    /// The one for a role.
    pub fn of(&self, role: Role) -> Initializer {
        match role {
            Role::Weight { .. } => self.weight,
            Role::Bias => self.bias,
            Role::Gain => self.gain,
            Role::Table => self.table,
            Role::State => self.state,
            Role::Free => self.free,
        }
    }
}

impl Architecture {
    /// Values for all parameters and initial states.
    ///
    /// The same key gives the same numbers on every machine and for ever.
    ///
    /// # Errors
    ///
    /// As [`verify`](Architecture::verify); [`ArchitectureError::Initializer`] for one whose numbers are not finite.
    ///
    /// # Example
    ///
    /// ```
    /// use pullback_program::architecture::{Architecture, Dense, Initializers, Layer};
    ///
    /// let architecture = Architecture::new(&[1, 2], Layer::Dense(Dense { features: 3, bias: true }));
    /// let parameters = architecture.initialize(7, &Initializers::default())?;
    /// assert_eq!(parameters.get("weight").map(<[f64]>::len), Some(6));
    /// assert_eq!(parameters.get("bias"), Some(&[0.0; 3][..]));
    /// # Ok::<(), pullback_program::architecture::ArchitectureError>(())
    /// ```
    pub fn initialize(&self, key: u64, by: &Initializers) -> Result<Parameters<f64>, ArchitectureError> {
        let signature = self.verify()?;
        signature.parameters.iter().try_for_each(|p| by.of(p.role).check(&p.path))?;
        let values = signature.parameters.iter().map(|p| by.of(p.role).values(key, p)).collect();
        Ok(Parameters::of(&signature.parameters, values))
    }
}

#[cfg(test)]
mod tests {
    use super::{Stream, logarithm};

    #[test]
    fn the_logarithm_is_that_of_the_platform() {
        let mut stream = Stream::new(1, "s");
        for _ in 0..10_000 {
            let s = stream.uniform().max(1e-300);
            assert!((logarithm(s) - s.ln()).abs() <= 4e-16 * s.ln().abs().max(1.0), "{s}");
        }
    }
}
