//! Scaled dot-product attention with heads, masks and projections.

use num_bigint::BigInt;
use pullback_kernel::Rational;

use super::emit::{Emit, Emitted, LITERAL};
use super::error::{ArchitectureError, LayerFault};
use super::signature::{Place, Role, Scope};
use crate::operation::{Array, Binding, Elements, Literal, Shape};
use crate::program::ValueId;

/// Added to hidden scores, -10^30, so that the shift of the exponents is that of the keys that are seen. Their weight is zero whatever it is.
///
/// A hidden score may then be up to 10^30 above the largest that is seen.
/// It is below half of the last place of the largest number of single precision, 2^103: no finite score becomes infinite by it.
fn hidden() -> Literal {
    Literal::Exact(Rational::from_integer(BigInt::from(-1_000_000_000_000_000_000_000_000_000_000_i128)))
}

/// Which keys a query may see: a set for each query, none of them empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(
        rename_all = "snake_case",
        deny_unknown_fields,
        expecting = "a mask: `all`, `causal`, or an object with `window` or `sets`"
    )
)]
pub enum Mask {
    /// All keys.
    #[default]
    All,
    /// Keys at the position of the query and before.
    Causal,
    /// Keys from so many positions before the query to so many after.
    Window {
        /// Positions before.
        before: usize,
        /// Positions after.
        after: usize,
    },
    /// For each query, whether it sees each key.
    Sets(Vec<Vec<bool>>),
}

/// Affine maps before and after attention.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Projections {
    /// The size of a query and of a key of one head.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub head: usize,
    /// The size of a value of one head.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub value: usize,
    /// The size of the last axis of the result.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub output: usize,
    /// Whether biases are added.
    pub bias: bool,
}

/// Scaled dot-product attention, `softmax(query keyᵀ / √d) value` over the keys that each query may see (Vaswani et al. 2017).
///
/// Given one array `[.., t, f]`, keys and values are its own rows; given two, queries are those of the first, keys and values those of the second.
/// The heads are neighbouring blocks of the last axis.
/// Without projections the arrays are queries, keys and values as they are.
///
/// # Source
///
/// Theorem 3: masks restrict the sums to the allowed sets, and positions outside get a gradient of exactly zero.
///
/// Of floats that holds as long as no hidden score is more than 1e30 above the largest that its query sees.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Attention {
    /// How many heads.
    #[cfg_attr(feature = "json", schemars(range(min = 1)))]
    pub heads: usize,
    /// Which keys a query may see.
    #[cfg_attr(feature = "json", serde(default))]
    pub mask: Mask,
    /// The maps before and after: parameters `query.weight`, `key.weight`, `value.weight`, `output.weight`, and biases.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub projections: Option<Projections>,
}

impl Mask {
    /// Whether a query sees a key.
    pub fn shows(&self, query: usize, key: usize) -> bool {
        match self {
            Mask::All => true,
            Mask::Causal => key <= query,
            Mask::Window { before, after } => {
                key.saturating_add(*before) >= query && key <= query.saturating_add(*after)
            }
            Mask::Sets(rows) => rows.get(query).and_then(|row| row.get(key)).copied().unwrap_or(false),
        }
    }

    fn check(&self, at: &Place, queries: usize, keys: usize) -> Result<(), ArchitectureError> {
        if let Mask::Sets(rows) = self {
            at.count("mask", queries, rows.len())?;
            rows.iter().try_for_each(|row| at.count("a row of the mask", keys, row.len()))?;
        }
        match (0..queries).find(|query| !(0..keys).any(|key| self.shows(*query, key))) {
            Some(row) => at.fault(LayerFault::Mask { row }),
            None => Ok(()),
        }
    }

    /// One number where a query sees a key, another where it does not.
    fn array(&self, queries: usize, keys: usize, shown: &Literal, hidden: &Literal) -> Array {
        let number = |at: usize| if self.shows(at / keys, at % keys) { shown.clone() } else { hidden.clone() };
        let elements = Elements::Each((0..queries * keys).map(number).collect());
        Array { shape: Shape::new(&[queries, keys]), elements }
    }

    /// Numbers that it follows from.
    fn key(&self) -> Vec<usize> {
        match self {
            Mask::All => vec![0],
            Mask::Causal => vec![1],
            Mask::Window { before, after } => vec![2, *before, *after],
            Mask::Sets(rows) => std::iter::once(3).chain(rows.iter().flatten().map(|shown| (*shown).into())).collect(),
        }
    }
}

impl Attention {
    pub(super) fn output(&self, at: &Place, inputs: &[Shape], scope: &mut Scope) -> Result<Shape, ArchitectureError> {
        let (query, source) = match inputs {
            [query] => (query, query),
            [query, source] => (query, source),
            _ => {
                let expected = "one array, or two for queries and keys".to_owned();
                return at.fault(LayerFault::Tuple { expected, found: inputs.len() });
            }
        };
        let ([lead @ .., t, f], [others @ .., s, g]) = (query.sizes(), source.sizes()) else {
            let found = if query.rank() < 2 { query } else { source }.clone();
            return at.fault(LayerFault::Rank { expected: "two axes or more".to_owned(), found });
        };
        at.positive("heads", self.heads)?;
        if lead != others {
            let expected = Shape::new(&[lead, &[*s, *g]].concat());
            let what = "the second array".to_owned();
            return at.fault(LayerFault::Shape { what, expected, found: source.clone() });
        }
        at.shape("the scores", &[lead, &[self.heads, *t, *s]].concat())?;
        self.mask.check(at, *t, *s)?;
        let Some(projections) = &self.projections else {
            if f != g {
                let (axis, expected, found) = (source.rank() - 1, *f, *g);
                return at.fault(LayerFault::Size { what: "the second array", axis, expected, found });
            }
            if f % self.heads != 0 {
                let (what, of) = ("the size of the last axis", "heads");
                return at.fault(LayerFault::Multiple { what, size: *f, parts: self.heads, of });
            }
            return Ok(query.clone());
        };
        projections.declare(at, self.heads, *f, *g, scope)?;
        at.shape("the result", &[lead, &[*t, projections.output]].concat())
    }

    pub(super) fn emit(&self, at: &Place, inputs: &[ValueId], to: &mut Emit) -> Emitted {
        let (x, source) = (inputs[0], *inputs.last().unwrap_or(&inputs[0]));
        let sizes = to.sizes(x);
        let lead = &sizes[..sizes.len() - 2];
        let projected = |value, leaf, to: &mut Emit| match &self.projections {
            Some(projections) => projections.apply(at, leaf, value, to),
            None => Ok(value),
        };
        let (q, k) = (projected(x, "query", to)?, projected(source, "key", to)?);
        let v = projected(source, "value", to)?;
        let (q, k, v) = (self.split(q, to)?, self.split(k, to)?, self.split(v, to)?);
        let y = self.attend(q, k, v, to)?;
        let [batch, heads, t, value] = to.sizes(y)[..] else { return Ok(y) };
        let y = if heads == 1 { to.reshape(y, &[batch, t, 1, value])? } else { to.permute(y, &[0, 2, 1, 3])? };
        let y = to.reshape(y, &[lead, &[t, heads * value]].concat())?;
        projected(y, "output", to)
    }

    /// `[.., t, heads d]` to `[batch, heads, t, d]`.
    fn split(&self, x: ValueId, to: &mut Emit) -> Emitted {
        let sizes = to.sizes(x);
        let [lead @ .., t, width] = &sizes[..] else { return Ok(x) };
        let (batch, d) = (lead.iter().product::<usize>(), width / self.heads);
        if self.heads == 1 {
            return to.reshape(x, &[batch, 1, *t, d]);
        }
        let x = to.reshape(x, &[batch, *t, self.heads, d])?;
        to.permute(x, &[0, 2, 1, 3])
    }

    /// All heads at once: they are places of the batch.
    fn attend(&self, q: ValueId, k: ValueId, v: ValueId, to: &mut Emit) -> Emitted {
        let (query, key, value) = (to.sizes(q), to.sizes(k), to.sizes(v));
        let dims = vec![query[..2].to_vec(), vec![query[2]], vec![key[2]], vec![key[3]], vec![value[3]]];
        if (0..query[2]).all(|row| (0..key[2]).all(|column| self.mask.shows(row, column))) {
            return to.with("attention", Binding { dims, ..Binding::default() }, &[q, k, v]);
        }
        let mut numbers = dims.clone();
        numbers.push(self.mask.key());
        if !to.is_known("attention_masked", &numbers) {
            to.charge("the mask", LITERAL.saturating_mul(2 * query[2] * key[2]))?;
        }
        to.keyed("attention_masked", numbers, &[q, k, v], || {
            let (zero, one) = (Literal::integer(0), Literal::integer(1));
            let numbers = |shown, hidden| self.mask.array(query[2], key[2], shown, hidden);
            let constants = vec![numbers(&one, &zero), numbers(&zero, &hidden())];
            Binding { dims, constants, ..Binding::default() }
        })
    }
}

impl Projections {
    fn declare(
        &self,
        at: &Place,
        heads: usize,
        query: usize,
        source: usize,
        scope: &mut Scope,
    ) -> Result<(), ArchitectureError> {
        for (what, size) in [("head", self.head), ("value", self.value), ("output", self.output)] {
            at.positive(what, size)?;
        }
        let (d, v) = (heads.saturating_mul(self.head), heads.saturating_mul(self.value));
        let maps = [("query", query, d), ("key", source, d), ("value", source, v), ("output", v, self.output)];
        for (leaf, fan_in, fan_out) in maps {
            let role = Role::Weight { fan_in, fan_out };
            scope.parameter(at, &format!("{leaf}.weight"), &[fan_in, fan_out], role)?;
            if self.bias {
                scope.parameter(at, &format!("{leaf}.bias"), &[fan_out], Role::Bias)?;
            }
        }
        Ok(())
    }

    fn apply(&self, at: &Place, leaf: &str, x: ValueId, to: &mut Emit) -> Emitted {
        let weight = to.parameter(at, &format!("{leaf}.weight"))?;
        let bias = if self.bias { Some(to.parameter(at, &format!("{leaf}.bias"))?) } else { None };
        to.affine(x, weight, bias)
    }
}
