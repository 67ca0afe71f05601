//! The lowerings, one a fused operation.
//!
//! Each is a function of the words in `stage`; dimensions and tensors are called as in the statement in `contracts/`.

use std::sync::OnceLock;

use pullback_kernel::Argument;
use pullback_kernel::statement::DimId;

use super::stage::{Lower, Value};
use super::{LowerError, Lowering};

type Steps = fn(&mut Lower<'_>) -> Result<Vec<Value>, LowerError>;
type Lowered = Result<Value, LowerError>;

/// Name and steps, in the order of the names.
const TABLE: &[(&str, Steps)] = &[
    ("add_constant", |l| {
        let offset = l.constant("offset")?;
        one(l.add(l.input("x"), offset))
    }),
    ("affine", |l| one(affine(l))),
    ("attention", |l| one(attention(l, None, None))),
    ("attention_bias", |l| one(attention(l, None, Some(l.input("bias"))))),
    ("attention_masked", |l| {
        let bias = l.constant("bias")?;
        one(attention(l, Some("mask"), Some(bias)))
    }),
    ("attention_recompute", |l| one(attention(l, None, None))),
    ("avg_pool1d", |l| one(pool(l, &[("at", "u", "k", "t")], true))),
    ("avg_pool2d", |l| one(pool(l, &[("row", "oh", "kh", "h"), ("col", "ow", "kw", "w")], true))),
    ("batch_norm", |l| one(batch_norm(l).map(|(y, _, _)| y))),
    ("batch_norm_inference", |l| one(inference(l))),
    ("batch_norm_training", |l| batch_norm(l).map(|(y, mean, variance)| vec![y, mean, variance])),
    ("bias_add", |l| one(bias_add(l))),
    ("bias_add_channels", |l| one(bias_add(l))),
    ("bilinear", |l| one(bilinear(l))),
    ("concatenate_three", |l| {
        let parts = [("x", "left"), ("y", "middle"), ("z", "right")].map(|(name, part)| (l.input(name), part));
        one(placed(l, "n", &parts))
    }),
    ("conv1d", |l| one(convolution(l, &[("at", "u", "k", "t")]))),
    ("conv2d", |l| one(convolution(l, &[("row", "oh", "kh", "h"), ("col", "ow", "kw", "w")]))),
    ("conv3d", |l| {
        one(convolution(l, &[("plane", "od", "kd", "d"), ("row", "oh", "kh", "h"), ("col", "ow", "kw", "w")]))
    }),
    ("conv_transpose1d", |l| one(transposed(l, &[("at", "t", "k", "u")]))),
    ("conv_transpose2d", |l| one(transposed(l, &[("row", "h", "kh", "oh"), ("col", "w", "kw", "ow")]))),
    ("cube", |l| {
        let x = l.input("x");
        let square = l.square(x)?;
        one(l.mul(square, x))
    }),
    ("divide", |l| {
        let r = l.recip(l.input("y"))?;
        one(l.mul(l.input("x"), r))
    }),
    ("dot_general", |l| {
        let all = l.dims(["b", "m", "k", "n"]);
        let k = l.dim("k");
        one(l.contract(l.input("lhs"), l.input("rhs"), &all, &[k]))
    }),
    ("dropout", |l| {
        let kept = l.mul(l.input("mask"), l.input("x"))?;
        one(l.scale(kept, l.param("scale")))
    }),
    ("euclidean_norm", |l| {
        let n = l.dim("n");
        let square = l.square(l.input("x"))?;
        let sum = l.sum(square, &[n])?;
        one(root(l, sum))
    }),
    ("gelu_tanh", |l| one(gelu(l))),
    ("gram", |l| {
        let (x, [m, k]) = (l.input("x"), l.dims(["m", "k"]));
        let rows = l.repeat(x, 2, m)?;
        let columns = l.repeat(x, 1, m)?;
        let product = l.mul(rows, columns)?;
        one(l.sum(product, &[k]))
    }),
    ("group_norm", |l| {
        let over = l.dims(["c", "s"]);
        one(normalization(l, &over))
    }),
    ("gru_cell", |l| one(gru(l))),
    ("inner_product", |l| {
        let n = l.dim("n");
        let product = l.mul(l.input("x"), l.input("y"))?;
        one(l.sum(product, &[n]))
    }),
    ("l2_normalize", |l| {
        let n = l.dim("n");
        let square = l.square(l.input("x"))?;
        let sum = l.sum(square, &[n])?;
        one(over_root(l, l.input("x"), sum))
    }),
    ("layer_norm", |l| {
        let n = l.dims(["n"]);
        one(normalization(l, &n))
    }),
    ("linear", |l| one(linear(l))),
    ("linear_map", |l| {
        let (all, n) = (l.dims(["s", "m", "n"]), l.dim("n"));
        let matrix = l.constant("matrix")?;
        one(l.contract(l.input("x"), matrix, &all, &[n]))
    }),
    ("logistic", |l| one(logistic(l, l.input("x")))),
    ("lstm_cell", lstm),
    ("matrix_vector", |l| {
        let (all, n) = (l.dims(["m", "n"]), l.dim("n"));
        one(l.contract(l.input("a"), l.input("x"), &all, &[n]))
    }),
    ("mean", |l| {
        let n = l.dim("n");
        one(l.mean(l.input("x"), &[n]))
    }),
    ("mean_all", |l| {
        let s = l.dim("s");
        one(l.mean(l.input("x"), &[s]))
    }),
    ("mean_axis", |l| {
        let n = l.dim("n");
        one(l.mean(l.input("x"), &[n]))
    }),
    ("mean_leading", |l| {
        let n = l.dim("n");
        one(l.mean(l.input("x"), &[n]))
    }),
    ("mean_squared_error", |l| {
        let s = l.dim("s");
        let difference = l.sub(l.input("prediction"), l.input("target"))?;
        let square = l.square(difference)?;
        one(l.mean(square, &[s]))
    }),
    ("multiply_constant", |l| {
        let weight = l.constant("weight")?;
        one(l.mul(weight, l.input("x")))
    }),
    ("multiply_scalar", |l| {
        let x = l.input("x");
        let factor = l.spread(l.input("factor"), &l.axes(x))?;
        one(l.mul(factor, x))
    }),
    ("negate", |l| one(l.times(l.input("x"), -1, 1))),
    ("outer_product", |l| {
        let all = l.dims(["s", "m", "n"]);
        one(l.contract(l.input("x"), l.input("y"), &all, &[]))
    }),
    ("pad", |l| one(pad(l))),
    ("patches", |l| one(windows(l, l.input("x"), &[("at", "w", "k", "n")]))),
    ("reverse", |l| one(l.slice(l.input("x"), l.map("mirror")))),
    ("rms_norm", |l| {
        let n = l.dim("n");
        let x = l.input("x");
        let square = l.square(x)?;
        let mean = l.mean(square, &[n])?;
        let normal = over_root(l, x, mean)?;
        one(gain(l, normal, "gamma", None))
    }),
    ("rnn_cell", |l| one(rnn(l))),
    ("rotary_embedding", |l| {
        let x = l.input("x");
        let (first, second) = (l.slice(x, l.map("first"))?, l.slice(x, l.map("second"))?);
        let axes = l.axes(first);
        let mut by = |part: Value, name: &str| {
            let angle = l.constant(name)?;
            let angle = l.spread(angle, &axes)?;
            l.mul(angle, part)
        };
        let (cc, sc) = (by(first, "cosine")?, by(first, "sine")?);
        let (cs, ss) = (by(second, "cosine")?, by(second, "sine")?);
        let (y, z) = (l.sub(cc, ss)?, l.add(sc, cs)?);
        one(placed(l, "n", &[(y, "first"), (z, "second")]))
    }),
    ("scale", |l| one(l.scale(l.input("x"), l.param("factor")))),
    ("scatter", |l| {
        let added = scattered(l, l.input("update"))?;
        one(l.add(l.input("base"), added))
    }),
    ("scatter_add", |l| one(scattered(l, l.input("x")))),
    ("select", |l| {
        let choice = l.constant("choice")?;
        let opposite = l.times(choice, -1, 1)?;
        let rest = l.plus_one(opposite)?;
        let x = l.mul(choice, l.input("x"))?;
        let y = l.mul(rest, l.input("y"))?;
        one(l.add(x, y))
    }),
    ("shift", |l| one(l.plus(l.input("x"), l.param("offset")))),
    ("silu", |l| {
        let gate = logistic(l, l.input("x"))?;
        one(l.mul(l.input("x"), gate))
    }),
    ("softmax", |l| {
        let n = l.dim("n");
        let e = l.exp(l.input("x"))?;
        one(shares(l, e, n))
    }),
    ("softmax_masked", |l| {
        let n = l.dim("n");
        let (weight, bias) = (l.constant("weight")?, l.constant("bias")?);
        let score = l.add(bias, l.input("x"))?;
        let e = l.exp(score)?;
        let e = l.mul(weight, e)?;
        one(shares(l, e, n))
    }),
    ("split", |l| {
        let x = l.input("x");
        Ok(vec![l.slice(x, l.map("left"))?, l.slice(x, l.map("right"))?])
    }),
    ("sqrt", |l| one(root(l, l.input("x")))),
    ("square", |l| one(l.square(l.input("x")))),
    ("standard_deviation", |l| {
        let n = l.dim("n");
        let centred = centre(l, l.input("x"), &[n])?;
        let square = l.square(centred)?;
        let variance = l.mean(square, &[n])?;
        let sum = l.plus(variance, l.param("eps"))?;
        one(root(l, sum))
    }),
    ("standardize", |l| {
        let n = l.dim("n");
        let centred = centre(l, l.input("x"), &[n])?;
        let square = l.square(centred)?;
        let spread = l.mean(square, &[n])?;
        one(over_root(l, centred, spread))
    }),
    ("subtract", |l| one(l.sub(l.input("x"), l.input("y")))),
    ("sum_of_squares", |l| {
        let n = l.dim("n");
        let square = l.square(l.input("x"))?;
        one(l.sum(square, &[n]))
    }),
    ("sum_pool1d", |l| one(pool(l, &[("at", "u", "k", "t")], false))),
    ("sum_pool2d", |l| one(pool(l, &[("row", "oh", "kh", "h"), ("col", "ow", "kw", "w")], false))),
    ("take_along_axis", |l| {
        let (all, n) = (l.dims(["s", "m", "n"]), l.dim("n"));
        let hot = l.one_hot(l.map("at"))?;
        one(l.contract(l.input("x"), hot, &all, &[n]))
    }),
    ("variance", |l| {
        let n = l.dim("n");
        let centred = centre(l, l.input("x"), &[n])?;
        let square = l.square(centred)?;
        one(l.mean(square, &[n]))
    }),
];

pub(super) fn all() -> &'static [Lowering] {
    static ALL: OnceLock<Vec<Lowering>> = OnceLock::new();
    ALL.get_or_init(|| {
        TABLE.iter().map(|(name, steps)| Lowering { name, steps: *steps, proof: OnceLock::new() }).collect()
    })
}

fn one(value: Lowered) -> Result<Vec<Value>, LowerError> {
    value.map(|value| vec![value])
}

/// `1 / (1 + exp(-x))`.
fn logistic(l: &mut Lower<'_>, x: Value) -> Lowered {
    let opposite = l.times(x, -1, 1)?;
    let e = l.exp(opposite)?;
    let total = l.plus_one(e)?;
    l.recip(total)
}

/// Each number of an axis over the sum of all.
fn shares(l: &mut Lower<'_>, e: Value, over: DimId) -> Lowered {
    let total = l.sum(e, &[over])?;
    let r = l.recip(total)?;
    let r = l.spread(r, &l.axes(e))?;
    l.mul(e, r)
}

/// Less the mean.
fn centre(l: &mut Lower<'_>, x: Value, over: &[DimId]) -> Lowered {
    let mean = l.mean(x, over)?;
    let mean = l.spread(mean, &l.axes(x))?;
    l.sub(x, mean)
}

/// The square root of what is positive: `x / sqrt(x)`.
fn root(l: &mut Lower<'_>, x: Value) -> Lowered {
    let r = l.rsqrt(x)?;
    l.mul(x, r)
}

/// Values each in its part of the last axis.
fn placed(l: &mut Lower<'_>, whole: &str, parts: &[(Value, &str)]) -> Lowered {
    let whole = l.dim(whole);
    let mut sum = None;
    for (value, part) in parts {
        let hot = l.one_hot(l.map(part))?;
        let mut all = l.axes(*value);
        let over = all.last().copied();
        all.push(whole);
        let y = l.contract(*value, hot, &all, over.as_slice())?;
        sum = Some(match sum {
            None => y,
            Some(sum) => l.add(sum, y)?,
        });
    }
    Ok(sum.unwrap_or_else(|| l.input("x")))
}

/// Over the root of a spread plus `eps`.
fn over_root(l: &mut Lower<'_>, x: Value, spread: Value) -> Lowered {
    let sum = l.plus(spread, l.param("eps"))?;
    let r = l.rsqrt(sum)?;
    let r = l.spread(r, &l.axes(x))?;
    l.mul(x, r)
}

/// `gain * x + bias`, each given for some of the axes.
fn gain(l: &mut Lower<'_>, x: Value, gain: &str, bias: Option<&str>) -> Lowered {
    let axes = l.axes(x);
    let gain = l.spread(l.input(gain), &axes)?;
    let y = l.mul(gain, x)?;
    match bias {
        None => Ok(y),
        Some(bias) => {
            let bias = l.spread(l.input(bias), &axes)?;
            l.add(y, bias)
        }
    }
}

fn normalization(l: &mut Lower<'_>, over: &[DimId]) -> Lowered {
    let centred = centre(l, l.input("x"), over)?;
    let square = l.square(centred)?;
    let spread = l.mean(square, over)?;
    let normal = over_root(l, centred, spread)?;
    gain(l, normal, "gamma", Some("beta"))
}

fn batch_norm(l: &mut Lower<'_>) -> Result<(Value, Value, Value), LowerError> {
    let over = l.dims(["b", "s"]);
    let mean = l.mean(l.input("x"), &over)?;
    let centred = centre(l, l.input("x"), &over)?;
    let square = l.square(centred)?;
    let variance = l.mean(square, &over)?;
    let normal = over_root(l, centred, variance)?;
    Ok((gain(l, normal, "gamma", Some("beta"))?, mean, variance))
}

/// With statistics that are constants.
fn inference(l: &mut Lower<'_>) -> Lowered {
    let x = l.input("x");
    let (mean, variance) = (l.constant("mean")?, l.constant("variance")?);
    let mean = l.spread(mean, &l.axes(x))?;
    let centred = l.sub(x, mean)?;
    let normal = over_root(l, centred, variance)?;
    gain(l, normal, "gamma", Some("beta"))
}

/// `Σ x weight z`, the sum over `z` first.
fn bilinear(l: &mut Lower<'_>) -> Lowered {
    let [s, m, n, o] = l.dims(["s", "m", "n", "o"]);
    let half = l.contract(l.input("weight"), l.input("z"), &[s, o, m, n], &[n])?;
    l.contract(l.input("x"), half, &[s, o, m], &[m])
}

/// Rows added where a map puts them.
fn scattered(l: &mut Lower<'_>, x: Value) -> Lowered {
    let (all, m) = (l.dims(["m", "n", "s"]), l.dim("m"));
    let hot = l.one_hot(l.map("at"))?;
    l.contract(x, hot, &all, &[m])
}

/// The places that nothing is put at hold the value.
fn pad(l: &mut Lower<'_>) -> Lowered {
    let (all, n) = (l.dims(["s", "n", "m"]), l.dim("n"));
    let hot = l.one_hot(l.map("at"))?;
    let y = l.contract(l.input("x"), hot, &all, &[n])?;
    let taken = l.sum(hot, &[n])?;
    let opposite = l.times(taken, -1, 1)?;
    let free = l.plus_one(opposite)?;
    let value = l.scale(free, l.param("value"))?;
    let value = l.spread(value, &l.axes(y))?;
    l.add(value, y)
}

fn affine(l: &mut Lower<'_>) -> Lowered {
    gain(l, l.input("x"), "gain", Some("bias"))
}

fn bias_add(l: &mut Lower<'_>) -> Lowered {
    let x = l.input("x");
    let bias = l.spread(l.input("bias"), &l.axes(x))?;
    l.add(x, bias)
}

fn linear(l: &mut Lower<'_>) -> Lowered {
    let (all, k) = (l.dims(["s", "k", "n"]), l.dim("k"));
    let y = l.contract(l.input("x"), l.input("weight"), &all, &[k])?;
    let bias = l.spread(l.input("bias"), &l.axes(y))?;
    l.add(y, bias)
}

/// `x/2 (1 + tanh(c (x + 0.044715 x³)))`, c to twenty places as in the statement.
fn gelu(l: &mut Lower<'_>) -> Lowered {
    let x = l.input("x");
    let square = l.square(x)?;
    let cube = l.mul(square, x)?;
    let cube = l.times(cube, 44_715, 1_000_000)?;
    let inner = l.add(x, cube)?;
    // 0.79788456080286535588, whose digits do not fit one integer of 64 bits.
    let high = l.times(inner, 797_884_560_802_865_355, 1_000_000_000_000_000_000)?;
    let low = l.times(inner, 88, 100_000_000_000_000_000)?;
    let low = l.times(low, 1, 1000)?;
    let scaled = l.add(high, low)?;
    let t = l.tanh(scaled)?;
    let sum = l.plus_one(t)?;
    let product = l.mul(x, sum)?;
    l.times(product, 1, 2)
}

/// `softmax(query keyᵀ / √d) value`, with weights or a bias on the scores.
fn attention(l: &mut Lower<'_>, mask: Option<&str>, bias: Option<Value>) -> Lowered {
    let all = l.dims(["b", "q", "k", "d"]);
    let [b, q, k, d] = all;
    let v = l.dim("v");
    let score = l.contract(l.input("query"), l.input("key"), &all, &[d])?;
    let size = l.splat(&l.axes(score), Argument::Positions(vec![d]))?;
    let root = l.rsqrt(size)?;
    let mut score = l.mul(root, score)?;
    if let Some(bias) = bias {
        let bias = l.spread(bias, &l.axes(score))?;
        score = l.add(score, bias)?;
    }
    let mut e = l.exp(score)?;
    if let Some(mask) = mask {
        let mask = l.constant(mask)?;
        let mask = l.spread(mask, &l.axes(e))?;
        e = l.mul(mask, e)?;
    }
    let p = shares(l, e, k)?;
    l.contract(p, l.input("value"), &[b, q, k, v], &[k])
}

/// A window along one axis: map, output axis, axis of the window, input axis.
type Window<'a> = (&'a str, &'a str, &'a str, &'a str);

/// All windows of a value, `x[…, t]` to `[…, u, k]`, each input axis in its place.
fn windows(l: &mut Lower<'_>, x: Value, along: &[Window<'_>]) -> Lowered {
    let mut x = x;
    for (map, out, window, input) in along {
        let [out, window, input] = l.dims([*out, *window, *input]);
        let hot = l.one_hot(l.map(map))?;
        let mut all = l.axes(x);
        let at = all.iter().position(|d| *d == input).unwrap_or(all.len());
        all.splice(at..at, [out, window]);
        x = l.contract(x, hot, &all, &[input])?;
    }
    Ok(x)
}

fn convolution(l: &mut Lower<'_>, along: &[Window<'_>]) -> Lowered {
    let patches = windows(l, l.input("x"), along)?;
    // [b, g, c, u, k, …] and [g, o, c, k, …].
    let (o, c) = (l.dim("o"), l.dim("c"));
    let mut all = l.axes(patches);
    all.insert(2, o);
    let mut over = vec![c];
    over.extend(along.iter().map(|(_, _, window, _)| l.dim(window)));
    l.contract(patches, l.input("kernel"), &all, &over)
}

/// Each element spreads a kernel: windows of the output, whose places the map names.
fn transposed(l: &mut Lower<'_>, along: &[Window<'_>]) -> Lowered {
    let (b, g, c, o) = (l.dim("b"), l.dim("g"), l.dim("c"), l.dim("o"));
    // [b, g, c, t, …] and [g, c, o, k, …] to [b, g, o, t, k, …].
    let mut all = vec![b, g, c, o];
    for (_, input, window, _) in along {
        all.extend(l.dims([*input, *window]));
    }
    let mut y = l.contract(l.input("x"), l.input("kernel"), &all, &[c])?;
    for (map, input, window, out) in along {
        let [input, window, out] = l.dims([*input, *window, *out]);
        let hot = l.one_hot(l.map(map))?;
        let mut all = l.axes(y);
        let at = all.iter().position(|d| *d == window).unwrap_or(all.len());
        all.insert(at + 1, out);
        y = l.contract(y, hot, &all, &[input, window])?;
    }
    Ok(y)
}

fn pool(l: &mut Lower<'_>, along: &[Window<'_>], mean: bool) -> Lowered {
    let patches = windows(l, l.input("x"), along)?;
    let over: Vec<DimId> = along.iter().map(|(_, _, window, _)| l.dim(window)).collect();
    if mean { l.mean(patches, &over) } else { l.sum(patches, &over) }
}

fn rnn(l: &mut Lower<'_>) -> Lowered {
    let zx = l.matmul("x", "w", ["b", "k", "h"])?;
    let zs = l.matmul("state", "u", ["b", "h", "h"])?;
    let z = l.add(zx, zs)?;
    let bias = l.spread(l.input("bias"), &l.axes(z))?;
    let z = l.add(z, bias)?;
    l.tanh(z)
}

/// `1/2 + 1/2 tanh(z/2)`, the logistic of z.
fn gate(l: &mut Lower<'_>, z: Value) -> Lowered {
    let half = l.times(z, 1, 2)?;
    let t = l.tanh(half)?;
    let t = l.plus_one(t)?;
    l.times(t, 1, 2)
}

fn gru(l: &mut Lower<'_>) -> Lowered {
    let zx = l.matmul("x", "w", ["b", "k", "n"])?;
    let bias = l.spread(l.input("bias"), &l.axes(zx))?;
    let zx = l.add(zx, bias)?;
    let zs = l.matmul("state", "u", ["b", "h", "n"])?;
    let z = l.add(zx, zs)?;
    let mut part = |z: Value, name: &str| {
        let map = l.map(name);
        l.slice(z, map)
    };
    let (r, v) = (part(z, "reset")?, part(z, "update")?);
    let (x, s) = (part(zx, "renew")?, part(zs, "renew")?);
    let (r, v) = (gate(l, r)?, gate(l, v)?);
    let rs = l.mul(r, s)?;
    let c = l.add(x, rs)?;
    let c = l.tanh(c)?;
    let kept = l.mul(v, l.input("state"))?;
    let opposite = l.times(v, -1, 1)?;
    let rest = l.plus_one(opposite)?;
    let new = l.mul(rest, c)?;
    l.add(new, kept)
}

fn lstm(l: &mut Lower<'_>) -> Result<Vec<Value>, LowerError> {
    let zx = l.matmul("x", "w", ["b", "k", "n"])?;
    let zs = l.matmul("state", "u", ["b", "h", "n"])?;
    let z = l.add(zx, zs)?;
    let bias = l.spread(l.input("bias"), &l.axes(z))?;
    let z = l.add(z, bias)?;
    let mut part = |name: &str| {
        let map = l.map(name);
        l.slice(z, map)
    };
    let (enter, forget, propose, leave) = (part("enter")?, part("forget")?, part("propose")?, part("leave")?);
    let (a, f, c, o) = (gate(l, enter)?, gate(l, forget)?, l.tanh(propose)?, gate(l, leave)?);
    let kept = l.mul(f, l.input("cell"))?;
    let new = l.mul(a, c)?;
    let kept = l.add(kept, new)?;
    let t = l.tanh(kept)?;
    Ok(vec![l.mul(o, t)?, kept])
}
