//! One entry a rule of the normal form: a statement that is provable only with the rule, and its twin,
//! which would be provable if the rule forgot its side condition. The twin is false: it must not be
//! proved, and it is refuted wherever a small example can show it.
//!
//! Below the table are the faults that were found in the kernel, each kept here as what must not be proved.
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use pullback_kernel::{Outcome, Theorem, load, prove};

/// What must become of a statement.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Expect {
    Proved,
    Refuted,
    /// Not proved: a counterexample is welcome, none is asked for.
    NotProved,
}
use Expect::{NotProved, Proved, Refuted};

fn outcome(name: &str, body: &str) -> Result<Outcome, String> {
    let (statements, diagnostics) = load(&format!("contract {name} version 1 {body}"));
    match (statements.as_slice(), diagnostics.as_slice()) {
        ([statement], []) => Ok(prove(statement)),
        _ => Err(format!("{name} does not load: {diagnostics:?}")),
    }
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Proved(_) => "proved".to_owned(),
        Outcome::Refuted(c) => format!("refuted: {c}"),
        Outcome::Undecided(d) => format!("undecided: {d}"),
    }
}

/// What is wrong, if something is.
fn check(name: &str, body: &str, expect: Expect) -> Option<String> {
    let found = match outcome(name, body) {
        Ok(found) => found,
        Err(fault) => return Some(fault),
    };
    let right = match expect {
        Proved => matches!(found, Outcome::Proved(_)),
        Refuted => matches!(found, Outcome::Refuted(_)),
        NotProved => !matches!(found, Outcome::Proved(_)),
    };
    (!right).then(|| format!("{name}: expected {expect:?}, {}\n    {body}", shown(&found)))
}

fn theorem(name: &str, body: &str) -> Theorem {
    match outcome(name, body) {
        Ok(Outcome::Proved(t)) => t,
        Ok(other) => panic!("{name} is {}", shown(&other)),
        Err(fault) => panic!("{fault}"),
    }
}

fn all(table: &[(&str, &str, Expect)]) {
    let wrong: Vec<String> = table.iter().filter_map(|(name, body, expect)| check(name, body, *expect)).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

/// A rule, a true statement that needs it, its twin, and what becomes of the twin.
type Row = (&'static str, &'static str, &'static str, Expect);

const RULES: &[Row] = &[
    (
        "distribution",
        "dims n input x[n], z[n] output y = sum(i) (x[i] + z[i])^2 saves x, z
         dx[i] = dy * (2 * x[i] + 2 * z[i]) dz[i] = 2 * dy * (x[i] + z[i])",
        // (a + b)^2 is not a^2 + b^2.
        "dims n input x[n], z[n] output y = sum(i) (x[i] + z[i])^2 saves x, z
         dx[i] = dy * 2 * x[i] dz[i] = dy * 2 * z[i]",
        Refuted,
    ),
    (
        "sums_outward",
        "dims n, m input x[n], z[m] output y = (sum(i) x[i]) * (sum(j) z[j]) saves x, z
         dx[i] = sum(j) dy * z[j] dz[j] = sum(i) x[i] * dy",
        // Two sums have two indices: the product is not a sum of products.
        "dims n input x[n], z[n] output y = (sum(i) x[i]) * (sum(j) z[j]) saves x, z
         dx[i] = dy * z[i] dz[j] = x[j] * dy",
        Refuted,
    ),
    (
        "bound_indices_are_not_captured",
        "dims n input x[n, n] output y[i] = sum(j) x[i, j] * (sum(k) x[j, k]) saves x
         dx[i, j] = dy[i] * (sum(k) x[j, k]) + sum(l) dy[l] * x[l, i]",
        "dims n input x[n, n] output y[i] = sum(j) x[i, j] * (sum(k) x[j, k]) saves x
         dx[i, j] = dy[i] * (sum(k) x[j, k]) + sum(l) dy[l] * x[l, j]",
        Refuted,
    ),
    (
        "equality_against_a_bound_index",
        "dims n input x[n] output y[i] = sum(j) [i == j] * x[j] dx[i] = dy[i]",
        // The other index stays: no elimination without a sum.
        "dims n input x[n, n] output y[i] = sum(j) [i == j] * x[i, j] dx[i, j] = dy[i]",
        Refuted,
    ),
    (
        "equality_renames_free_indices",
        "dims n input x[n] output y[i, j] = [i == j] * x[i] dx[j] = sum(i) [i == j] * dy[j, j]",
        "dims n input x[n] output y[i, j] = [i == j] * x[i] dx[j] = sum(i) dy[i, j]",
        Refuted,
    ),
    (
        "equality_through_a_total_map",
        "dims m, n map f: m -> n input x[n] output y[i] = sum(j) [f(i) == j] * x[j] dx[j] = sum(i) [f(i) == j] * dy[i]",
        // f is many to one: [f(i) == f(j)] is not [i == j].
        "dims m, n map f: m -> n input x[m] output y[i] = sum(j) [f(i) == f(j)] * x[j] dx[j] = dy[j]",
        Refuted,
    ),
    (
        "injection_off_both_sides",
        "dims a, b, n split l: a, r: b -> n input x[a] output y[i] = sum(j) [l(i) == l(j)] * x[j] dx[j] = dy[j]",
        // A part is injective, a map into the whole is not.
        "dims a, b, n, m split l: a, r: b -> n map f: m -> a input x[m]
         output y[i] = sum(j) [l(f(i)) == l(f(j))] * x[j] dx[j] = dy[j]",
        Refuted,
    ),
    (
        "bijection_is_solved_for_its_argument",
        "dims s, t bijection r: s -> t input x[t] output y[i] = x[r(i)] dx[r(i)] = dy[i]",
        "dims s bijection r: s -> s input x[s] output y[i] = x[r(i)] dx[i] = dy[r(i)]",
        Refuted,
    ),
    (
        "bijection_of_several_arguments",
        "dims s, t, n bijection r: s, t -> n input x[n] output y[i, j] = x[r(i, j)] dx[r(i, j)] = dy[i, j]",
        // The components may not be swapped.
        "dims s, n bijection r: s, s -> n input x[n] output y[i, j] = x[r(i, j)] dx[r(i, j)] = dy[j, i]",
        Refuted,
    ),
    (
        "bijection_covers_its_target",
        "dims s, t bijection r: s -> t input x[t] output y = sum(i) x[r(i)]^2 saves x dx[j] = 2 * dy * x[j]",
        // A map need not reach every place.
        "dims s, t map r: s -> t input x[t] output y = sum(i) x[r(i)]^2 saves x dx[j] = 2 * dy * x[j]",
        Refuted,
    ),
    (
        "permutation_is_a_change_of_variable",
        "dims n bijection p: n -> n input x[n], w[n] output y = sum(i) x[p(i)] * w[p(i)] saves x, w
         dx[i] = dy * w[i] dw[i] = dy * x[i]",
        // Only if all of the sum stands under the same permutation.
        "dims n bijection p: n -> n, q: n -> n input x[n], w[n] output y = sum(i) x[p(i)] * w[q(i)] saves x, w
         dx[i] = dy * w[i] dw[i] = dy * x[i]",
        Refuted,
    ),
    (
        "parts_never_meet",
        "dims a, n split l: a, r: a -> n input x[n] output y = sum(i, j) [l(i) == r(j)] * x[l(i)] dx[i] = 0 * dy",
        // Two maps may meet.
        "dims a, n map l: a -> n, r: a -> n input x[n] output y = sum(i, j) [l(i) == r(j)] * x[l(i)] dx[i] = 0 * dy",
        Refuted,
    ),
    (
        "parts_cover",
        "dims a, b, n split l: a, r: b -> n input x[n] output y = (sum(i) x[l(i)]) + sum(j) x[r(j)] dx[i] = dy",
        "dims a, b, n split l: a, r: b -> n input x[n] output y = sum(i) x[l(i)] dx[i] = dy",
        Refuted,
    ),
    (
        "parts_of_one_dimension",
        "dims h, n split q: h, k: h, v: h -> n input x[n] output y[i] = x[q(i)] * x[k(i)] * x[v(i)] saves x
         dx[q(i)] = dy[i] * x[k(i)] * x[v(i)] dx[k(i)] = dy[i] * x[q(i)] * x[v(i)] dx[v(i)] = dy[i] * x[q(i)] * x[k(i)]",
        "dims h, n split q: h, k: h, v: h -> n input x[n] output y[i] = x[q(i)] * x[k(i)] * x[v(i)] saves x
         dx[q(i)] = dy[i] * x[k(i)] * x[v(i)] dx[k(i)] = dy[i] * x[k(i)] * x[v(i)] dx[v(i)] = dy[i] * x[q(i)] * x[k(i)]",
        Refuted,
    ),
    (
        "split_of_a_split",
        "dims a, b, c, ab, n split l: a, r: b -> ab split u: ab, w: c -> n input x[n] output y = sum(i: n) x[i]^2 saves x
         dx[i] = 2 * dy * x[i]",
        "dims a, b, c, ab, n split l: a, r: b -> ab split u: ab, w: c -> n input x[n]
         output y = (sum(i: a) x[u(l(i))]^2) + sum(i: c) x[w(i)]^2 saves x dx[i] = 2 * dy * x[i]",
        Refuted,
    ),
    (
        "unused_index_is_a_size",
        "dims n input x output y = sum(i: n) x dx = |n| * dy",
        "dims n input x output y = sum(i: n) x dx = dy",
        Refuted,
    ),
    (
        "size_of_a_split_is_the_sum",
        "dims a, b, n split l: a, r: b -> n input x output y = |n| * x dx = (|a| + |b|) * dy",
        "dims a, b, n split l: a, r: b -> n input x output y = |n| * x dx = |a| * |b| * dy",
        Refuted,
    ),
    (
        "size_of_a_bijection_is_the_product",
        "dims s, t, n bijection r: s, t -> n input x output y = |n| * x dx = |s| * |t| * dy",
        "dims s, t, n map r: s, t -> n input x output y = |n| * x dx = |s| * |t| * dy",
        Refuted,
    ),
    (
        "renaming_of_bound_indices",
        "dims n input x[n, n] output y = sum(i, j) x[i, j] * x[j, i] saves x dx[i, j] = 2 * dy * x[j, i]",
        "dims n input x[n, n] output y = sum(i, j) x[i, j] * x[j, i] saves x dx[i, j] = 2 * dy * x[i, j]",
        Refuted,
    ),
    (
        "renaming_of_many_bound_indices",
        "dims n input x[n, n] output y = sum(a, b, c, d) x[a, b] * x[b, c] * x[c, d] * x[d, a] saves x
         dx[a, b] = 4 * dy * sum(d, c) x[b, c] * x[c, d] * x[d, a]",
        "dims n input x[n, n] output y = sum(a, b, c, d) x[a, b] * x[b, c] * x[c, d] * x[d, a] saves x
         dx[a, b] = 4 * dy * sum(d, c) x[b, c] * x[d, c] * x[d, a]",
        Refuted,
    ),
    (
        "exponential_of_a_sum",
        "input x, z output y = exp(x + 2 * z) saves x, z
         dx = dy * exp(x) * exp(z)^2 dz = 2 * dy * exp(x) * exp(z) * exp(z)",
        "dims n input x[n] output y = exp(sum(i) x[i]) saves x dx[i] = dy * sum(k) exp(x[k])",
        Refuted,
    ),
    (
        "exponential_and_logarithm_are_inverse",
        "input x where x > 0 output y = exp(log(x)) * log(exp(x)) saves x dx = 2 * dy * x",
        // Not of a sum of logarithms of something else.
        "input x, z where x > 0, z > 0 output y = exp(log(x + z)) saves x, z dx = dy * z dz = dy * x",
        Refuted,
    ),
    (
        "logarithm_of_a_positive_factor",
        "input x, z output y = log(exp(x) * (1 + exp(z))) saves z dx = dy dz = dy * exp(z) / (1 + exp(z))",
        // log(x z) is log x + log z only where each is positive.
        "input x, z where x * z > 0 output y = log(x * z) saves x, z
         let a = log(x) + log(z) dx = dy / x + 0 * a dz = dy / z",
        NotProved,
    ),
    (
        "common_factor_out_of_recip",
        "dims n input a, x[n] where a != 0, sum(i) x[i] != 0 output y = a / (sum(i) a * x[i]) saves x
         da = 0 dx[i] = 0 - dy / (sum(k) x[k])^2",
        // The factor differs from term to term: it stays inside.
        "dims n input a[n], x[n] where a[i] != 0, sum(i) a[i] * x[i] != 0
         output y[i] = a[i] / (sum(k) a[k] * x[k]) saves x da[i] = 0 dx[i] = 0 - (sum(k) dy[k]) / (sum(k) x[k])^2",
        NotProved,
    ),
    (
        "recip_of_a_sum_times_the_sum",
        "dims n input x[n], t where sum(i) x[i] != 0 output y = t saves x
         dt = dy * (sum(i) x[i] * recip(sum(k) x[k])) dx[i] = 0",
        // x[i] times it, without the sum, is not one.
        "dims n input x[n], t where sum(i) x[i] != 0 output y = t saves x
         dt = dy * (sum(i) x[i]^2 * recip(sum(k) x[k])) dx[i] = 0",
        Refuted,
    ),
    (
        "rsqrt_squared_times_the_sum",
        "dims n param eps > 0 input x[n], t output y = t saves x
         let r = rsqrt(eps + sum(i) x[i]^2) dt = dy * (eps * r^2 + sum(i) x[i]^2 * r^2) dx[i] = 0",
        "dims n param eps > 0 input x[n], t output y = t saves x
         let r = rsqrt(eps + sum(i) x[i]^2) dt = dy * (sum(i) x[i]^2 * r^2) dx[i] = 0",
        Refuted,
    ),
    (
        "denominators_are_cleared",
        "input x where x > 0 output y = 1 / x - 1 / (x + 1) saves x dx = 0 - dy * (2 * x + 1) / (x * (x + 1))^2",
        // Not under an `if`: each side has its own denominators.
        "input x output y = if x > 0 then log(x) else 0 saves x declares convention \"at zero\"
         dx = if x > 0 then dy * (1 + x) / x else 0",
        Refuted,
    ),
    (
        "idempotent_guard",
        "input x output y = max(max(x, 0), 0) saves x declares convention \"at zero\" dx = if x > 0 then dy else 0",
        // [x > 0] is; x [x > 0] is not.
        "input x output y = max(x, 0)^2 saves x declares convention \"at zero\" dx = if x > 0 then 2 * dy else 0",
        Refuted,
    ),
    (
        "one_side_is_not_the_other",
        "input x output y = abs(x) saves x declares convention \"at zero\"
         dx = if x > 0 then dy else (if x < 0 then -dy else 0)",
        "input x output y = abs(x) saves x declares convention \"at zero\" dx = if x > 0 then dy else 0",
        Refuted,
    ),
    (
        "function_of_an_if_is_an_if_of_functions",
        "input x output y = exp(if x > 0 then x else 2 * x) saves x declares convention \"at zero\"
         dx = if x > 0 then dy * exp(x) else 2 * dy * exp(2 * x)",
        // exp([c] a + [1 - c] b) is not [c] exp(a) + exp([1 - c] b).
        "input x output y = exp(if x > 0 then x else 2 * x) saves x declares convention \"at zero\"
         dx = if x > 0 then dy * exp(x) else dy * exp(2 * x)",
        Refuted,
    ),
    (
        "sine_and_cosine",
        "input x output y = sin(x)^2 + cos(x)^2 dx = 0 * dy",
        "input x, z output y = sin(x)^2 + cos(z)^2 dx = 0 * dy dz = 0 * dy",
        Refuted,
    ),
    (
        "odd_and_even_functions",
        "input x output y = sin(-x) + cos(-x) + tanh(-x) saves x dx = dy * (0 - cos(x) - sin(x) - 1 + tanh(x)^2)",
        "input x output y = sin(-x) + cos(-x) saves x dx = dy * (0 - cos(x) + sin(x))",
        Refuted,
    ),
    (
        "tanh_by_exponentials",
        "input x output y = tanh(x) saves x dx = dy * 4 * exp(2 * x) / (exp(2 * x) + 1)^2",
        "input x output y = tanh(x) saves x dx = dy * 2 * exp(2 * x) / (exp(2 * x) + 1)^2",
        Refuted,
    ),
    (
        "root_of_a_power_of_one_atom",
        "input x where x > 0 output y = sqrt(x)^3 saves x dx = 3 * dy * sqrt(x) / 2",
        // sqrt(x^2) is |x|.
        "input x where x != 0 output y = sqrt(x * x) dx = dy",
        Refuted,
    ),
    (
        "root_takes_positive_factors_out",
        "dims n input t, x[n] where sum(i) x[i] > 0 output y = sqrt(sum(i) exp(t) * x[i]) saves y, x
         dt = dy * y / 2 dx[i] = dy * y / (2 * sum(k) x[k])",
        // t may be negative, and then the sum is: sqrt(t s) is not sqrt(t) sqrt(s).
        "dims n input t, x[n] where sum(i) t * x[i] > 0 output y = sqrt(sum(i) t * x[i]) saves t, x
         dt = dy * sqrt(sum(k) x[k]) * rsqrt(t) / 2 dx[i] = dy * sqrt(t) * rsqrt(sum(k) x[k]) / 2",
        NotProved,
    ),
    (
        "maximum_moves_with_what_attains_it",
        "dims n input x[n] output y = max(k) x[k] saves x, y declares subgradient \"ties\"
         let c = sum(k) (if x[k] >= y then 1 else 0) dx[i] = if x[i] >= y then dy / c else 0",
        // Nothing is larger than the maximum.
        "dims n input x[n] output y = max(k) x[k] saves x, y declares subgradient \"ties\"
         dx[i] = if x[i] > y then dy else 0",
        Refuted,
    ),
    (
        "partial_map_reads_zero",
        "dims m, n partial map f: m -> n input x[n], t[m] output y = sum(i) t[i] * x[f(i)] saves x, t
         dx[j] = dy * sum(i) [f(i) == j] * t[i] dt[i] = dy * x[f(i)]",
        // The exponential of a read at an undefined point is one, a read of the exponential is zero.
        "dims m, n partial map f: m -> n input x[n], t[m] output y = sum(i) t[i] * exp(x[f(i)]) saves x, t
         let e[k: n] = exp(x[k]) dx[k] = dy * sum(i) [f(i) == k] * t[i] * e[f(i)] dt[i] = dy * e[f(i)]",
        Refuted,
    ),
    (
        "equality_with_an_undefined_side_is_zero",
        "dims m, n partial map f: m -> n input x[m] output y = sum(i) [f(i) == f(i)] * x[i] dx[i] = dy * [f(i) == f(i)]",
        "dims m, n partial map f: m -> n input x[m] output y = sum(i) [f(i) == f(i)] * x[i] dx[i] = dy",
        Refuted,
    ),
    (
        "elimination_keeps_definedness",
        "dims m, n partial map f: m -> n input t[m] output y[i] = sum(j: n) [f(i) == j] * t[i]
         dt[i] = dy[i] * sum(j: n) [j == f(i)]",
        "dims m, n partial map f: m -> n input t[m] output y[i] = sum(j: n) [f(i) == j] * t[i] dt[i] = dy[i]",
        Refuted,
    ),
    (
        "positive_sum_of_weights",
        "dims n constant m[n] input x[n], t where m[i] >= 0, sum(i) m[i] > 0 let z = sum(i) m[i] * exp(x[i])
         output y = t saves z dx[i] = 0 dt = dy * z / z",
        // The weights may all be zero.
        "dims n constant m[n] input x[n], t where m[i] >= 0 let z = sum(i) m[i] * exp(x[i])
         output y = t saves z dx[i] = 0 dt = dy * z / z",
        Refuted,
    ),
    (
        "positive_square_and_parameter",
        "dims n param eps > 0 input x[n], t output y = t saves x dx[i] = 0 dt = dy / (eps + sum(i) x[i]^2) * (eps + sum(k) x[k]^2)",
        "dims n param eps >= 0 input x[n], t output y = t saves x dx[i] = 0 dt = dy / (eps + sum(i) x[i]^2) * (eps + sum(k) x[k]^2)",
        NotProved,
    ),
    (
        "fact_at_another_index",
        "dims n map f: n -> n input x[n], t[n] where x[i] > 0 output y[i] = t[i] saves x
         dx[i] = 0 dt[i] = dy[i] * x[f(i)] / x[f(i)]",
        // What holds at f(i) need not hold at i.
        "dims n map f: n -> n input x[n], t[n] where x[f(i)] > 0 output y[i] = t[i] saves x
         dx[i] = 0 dt[i] = dy[i] * x[i] / x[i]",
        Refuted,
    ),
    (
        "fact_through_a_partial_map",
        "dims m, n partial map f: m -> n constant c[n] input t[m] where c[f(i)] > 0 output y[i] = t[i] / c[f(i)]
         dt[i] = dy[i] / c[f(i)]",
        "dims m, n partial map f: m -> n input x[n], t[m] where x[k] > 0 let s[k] = 2 * x[k] output y[i] = t[i] saves s
         dx[k: n] = 0 dt[i] = dy[i] * s[f(i)] / s[f(i)]",
        Refuted,
    ),
    (
        "fact_of_a_guard",
        "input x, t output y = if x > 0 then t / x else t saves x, t declares convention \"at zero\"
         dx = if x > 0 then -dy * t / x^2 else 0 dt = if x > 0 then dy / x else dy",
        // It holds in its branch only.
        "input x, t output y = if x > 0 then t / x else t saves x, t declares convention \"at zero\"
         dx = if x > 0 then -dy * t / x^2 else 0 dt = (if x > 0 then dy else dy * x) / x",
        NotProved,
    ),
    (
        "signs_of_an_output_with_clauses",
        "dims a, b, n split l: a, r: b -> n input x[n], t[n] output y[l(i)] = exp(x[l(i)]) output y[r(i)] = 1 + x[r(i)]^2
         output u[i] = t[i] saves x, y
         dx[l(i)] = dy[l(i)] * y[l(i)] dx[r(i)] = 2 * dy[r(i)] * x[r(i)] dt[i] = du[i] * y[i] / y[i]",
        "dims a, b, n split l: a, r: b -> n input x[n], t[n] output y[l(i)] = exp(x[l(i)]) output y[r(i)] = x[r(i)]
         output u[i] = t[i] saves x, y
         dx[l(i)] = dy[l(i)] * y[l(i)] dx[r(i)] = dy[r(i)] dt[i] = du[i] * y[i] / y[i]",
        Refuted,
    ),
    (
        "any_value_cancels",
        "dims n input x[n] any m = max(k) x[k] output y = m + log(sum(k) exp(x[k] - m)) saves x, y dx[i] = dy * exp(x[i] - y)",
        "dims n input x[n] any m = max(k) x[k] output y = log(sum(k) exp(x[k] - m)) saves x, y, m dx[i] = dy * exp(x[i] - m - y)",
        NotProved,
    ),
    (
        "quotient_by_a_power",
        "dims n constant p[n, n] input x[n] where p[i, j] + x[i] - x[j] != 0
         output y = sum(i, j) 1 / (p[i, j] + x[i] - x[j]) saves x
         dx[k] = dy * (sum(i) 1 / (p[i, k] + x[i] - x[k])^2) - dy * (sum(j) 1 / (p[k, j] + x[k] - x[j])^2)",
        "dims n constant p[n, n] input x[n] where p[i, j] + x[i] - x[j] != 0
         output y = sum(i, j) 1 / (p[i, j] + x[i] - x[j]) saves x
         dx[k] = dy * (sum(i) 1 / (p[i, k] + x[i] - x[k])^2) - dy * (sum(j) 1 / (p[j, k] + x[k] - x[j])^2)",
        Refuted,
    ),
];

#[test]
fn each_rule_is_needed_and_has_its_condition() {
    let mut wrong = Vec::new();
    for (name, truth, twin, expect) in RULES {
        wrong.extend(check(name, truth, Proved));
        wrong.extend(check(&format!("{name}_twin"), twin, *expect));
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// A definedness factor was dropped because a read implied it, and then the read cancelled.
#[test]
fn definedness_survives_cancelling() {
    let head = "dims n, m partial map row: m -> n constant c[n], d[n] input t[m] where c[k] > 0, d[k] > 0";
    let rows = [
        (
            "cancelled",
            "let u[k] = c[k] / d[k] let v[k] = d[k] / c[k] output y[i] = t[i] * (u[row(i)] * v[row(i)]) dt[i] = dy[i]",
            Refuted,
        ),
        (
            "weights_sum_to_one",
            "let p[k] = c[k] / (c[k] + d[k]) let q[k] = d[k] / (c[k] + d[k])
             output y[i] = t[i] * (p[row(i)] + q[row(i)]) dt[i] = dy[i]",
            Refuted,
        ),
        (
            "weights_sum_to_one_where_defined",
            "let p[k] = c[k] / (c[k] + d[k]) let q[k] = d[k] / (c[k] + d[k]) let one[k: n] = 1
             output y[i] = t[i] * (p[row(i)] + q[row(i)]) saves one dt[i] = dy[i] * one[row(i)]",
            Proved,
        ),
        (
            "cleared_denominators",
            "let r[k] = 1 / (c[k] * (c[k] + 1)) - 1 / c[k] + 1 / (c[k] + 1) + 0 * d[k] let one[k: n] = 1
             output y[i] = t[i] * (1 + r[row(i)]) saves one dt[i] = dy[i] * one[row(i)]",
            Refuted,
        ),
        (
            "root_is_not_positive_where_undefined",
            "let s[k] = sqrt(c[k]) output y[i] = t[i] saves s
             dt[j] = dy[j] * (sum(i) s[row(i)]) / (sum(i) s[row(i)])",
            Refuted,
        ),
    ];
    for (name, body, expect) in rows {
        assert_eq!(check(name, &format!("{head} {body}"), expect), None);
    }
    all(&[(
        "weights_are_not_positive_where_undefined",
        "dims n, m partial map row: m -> n constant x[n], c[m] input t
         where x[k] > 0, c[i] >= 0, sum(i) c[i] > 0 let s[k] = sqrt(x[k])
         output y = t saves s dt = dy * (sum(i) s[row(i)] * c[i]) / (sum(i) s[row(i)] * c[i])",
        Refuted,
    )]);
}

/// `[c > 0] = 1 - [-c > 0]` is wrong where c is zero whatever the inputs: then zero is no boundary.
#[test]
fn a_guard_that_vanishes_identically_has_no_boundary() {
    all(&[
        (
            "mask",
            "dims n constant mask[n] input x[n] declares convention \"at zero\"
             output y[i] = if mask[i] > 0 then x[i] else 0 dx[i] = if mask[i] >= 0 then dy[i] else 0",
            Refuted,
        ),
        (
            "mask_right",
            "dims n constant mask[n] input x[n] declares convention \"at zero\"
             output y[i] = if mask[i] > 0 then x[i] else 0 dx[i] = if mask[i] > 0 then dy[i] else 0",
            Proved,
        ),
        (
            "masked_product",
            "constant c input x, z declares convention \"at zero\" output y = if x * c > 0 then x else z saves x
             dx = if x * c < 0 then 0 else dy dz = if x * c < 0 then dy else 0",
            NotProved,
        ),
        (
            "parameter",
            "param p input x declares convention \"at zero\" output y = if p > 0 then x else 0 dx = if p >= 0 then dy else 0",
            Refuted,
        ),
        (
            "undefined_read",
            "dims n, m partial map row: m -> n input x[n], w[m] declares convention \"at zero\"
             output y[i] = if x[row(i)] >= 0 then w[i] else 0 saves x
             dx[k: n] = 0 dw[i] = if x[row(i)] > 0 then dy[i] else 0",
            Refuted,
        ),
        (
            "undefined_root",
            "dims n, m partial map row: m -> n constant x[n], c[m] input t[m] where x[k] > 0 let s[k] = sqrt(x[k])
             declares convention \"at zero\" output y[i] = if s[row(i)] * c[i] > 0 then t[i] else 0
             dt[i] = if c[i] > 0 then dy[i] else 0",
            Refuted,
        ),
        (
            "with_itself",
            "dims n input x[n], w[n] declares convention \"ties\"
             output y[i] = sum(j) if x[i] >= x[j] then w[j] else 0 saves x
             dw[j] = sum(i) if x[i] > x[j] then dy[i] else 0 dx[i] = 0",
            Refuted,
        ),
        (
            "with_itself_right",
            "dims n input x[n], w[n] declares convention \"ties\"
             output y[i] = sum(j) if x[i] >= x[j] then w[j] else 0 saves x
             dw[j] = sum(i) if x[i] >= x[j] then dy[i] else 0 dx[i] = 0",
            Proved,
        ),
        (
            "distances",
            "dims n input x[n] declares convention \"ties\" output y = sum(i, j) abs(x[i] - x[j]) saves x
             dx[k] = 2 * dy * sum(j) if x[k] > x[j] then 1 else -1",
            Refuted,
        ),
        (
            "rounding",
            "input x declares convention \"jumps\" output y = if round(x) > 0 then x else 0 saves x
             dx = if round(x) >= 0 then dy else 0",
            NotProved,
        ),
        (
            "any_at_its_boundary",
            "input x any m = x declares convention \"at zero\" output y = if x >= m then x else 0 saves x, m
             dx = if x > m then dy else 0",
            NotProved,
        ),
        (
            "any_in_a_step",
            "input x any m = x declares convention \"jumps\" output y = x * round(m) saves m dx = dy * round(m)",
            NotProved,
        ),
        (
            "any_at_its_boundary_in_the_rule",
            "input x any m = x declares convention \"at zero\" output y = x saves x, m
             dx = dy * ((if x >= m then 1 else 0) + (if m >= x then 1 else 0))",
            Refuted,
        ),
        (
            "any_maximum_at_its_boundary_in_the_rule",
            "dims n input x[n] any m = max(k) x[k] declares convention \"ties\"
             output y[i] = exp(x[i] - m) / sum(k) exp(x[k] - m) saves x, y, m
             dx[i] = y[i] * (dy[i] - sum(k) dy[k] * y[k]) * ((if x[i] >= m then 1 else 0) + (if m >= x[i] then 1 else 0))",
            Refuted,
        ),
        (
            "distances_right",
            "dims n input x[n] declares convention \"ties\" output y = sum(i, j) abs(x[i] - x[j]) saves x
             dx[k] = 2 * dy * sum(j) ((if x[k] > x[j] then 1 else 0) - (if x[j] > x[k] then 1 else 0))",
            Proved,
        ),
        (
            "padded_relu",
            "dims n, m partial map row: m -> n input x[n] declares convention \"at zero\"
             output y[i] = max(x[row(i)], 0) saves y
             dx[k] = sum(i) [row(i) == k] * (if y[i] > 0 then dy[i] else 0)",
            Proved,
        ),
        // What keeps its boundary.
        (
            "relu_from_the_other_side",
            "dims s.. input x[s..] declares convention \"at zero\" output y[i..] = max(x[i..], 0) saves x
             dx[i..] = if x[i..] <= 0 then 0 else dy[i..]",
            Proved,
        ),
        (
            "clamp_from_the_other_side",
            "input x declares convention \"at the ends\" output y = min(max(x, 0), 1) saves x
             dx = if x > 0 then (if 1 > x then dy else 0) else 0",
            Proved,
        ),
    ]);
}

#[test]
fn a_maximum_and_places_that_do_not_exist_or_repeat() {
    all(&[
        (
            "larger_than_the_maximum",
            "dims n, m partial map row: m -> n constant x[n] input w[m] declares convention \"ties\"
             output y[i] = if x[row(i)] > max(k) x[k] then w[i] else 0 dw[i] = 0 * dy[i]",
            Refuted,
        ),
        (
            "slot_that_nothing_reads",
            "dims n, m input x[n] declares convention \"ties\" output y = max(k, l: m) x[k] saves x, y
             dx[j] = if x[j] >= y then |m| * dy else 0",
            Refuted,
        ),
    ]);
    // A place that a map repeats has a share for each time: of one maximum that is a subgradient, of several a convention.
    let pooled = "dims n, m map f: m -> n input x[n] declares subgradient output y = max(k) x[f(k)] saves x, y
        let c = sum(k) (if x[f(k)] >= y then 1 else 0)
        dx[j] = sum(k) [f(k) == j] * (if x[f(k)] >= y then dy / c else 0)";
    theorem("repeated_place", pooled);
    let padded = |label: &str| {
        format!(
            "dims n, o, w partial map at: o, w -> n input x[n] declares {label}
             output y[i] = max(k) x[at(i, k)] saves x, y
             let c[i] = sum(k) (if x[at(i, k)] >= y[i] then 1 else 0)
             dx[j] = sum(i, k) [at(i, k) == j] * (if x[at(i, k)] >= y[i] then dy[i] / c[i] else 0)"
        )
    };
    theorem("padded_windows", &padded("convention"));
    all(&[("padded_windows", &padded("subgradient"), Refuted)]);
}

/// A rule applied while indices are renamed made a term higher, and an outer index was taken for an inner one.
#[test]
fn renaming_does_not_capture() {
    all(&[(
        "swapped_under_tanh",
        "dims n, k, l constant x[n, k, l], z[n, k, l], w[n] input t declares convention \"at zero\"
         output y = sum(i) w[i] * (if (sum(j) tanh(sum(a, b) x[i, a, b] * z[j, a, b])) > 0 then t else 0)
         dt = dy * sum(i) w[i] * (if (sum(j) tanh(sum(a, b) x[j, a, b] * z[i, a, b])) > 0 then 1 else 0)",
        Refuted,
    )]);
}

/// x^(-2^63): its derivative's exponent is out of range, and used to wrap.
#[test]
fn exponents_do_not_wrap() {
    let chain =
        |letter: &str| -> String { (1..=10).map(|k| format!("let {letter}{k} = {letter}{}^64 ", k - 1)).collect() };
    let body = format!(
        "input x where x > 0 let a0 = x {} let b = a10^-8 output y = b saves x let c0 = x {}
         dx = -9223372036854775808 * c10^7 * c9^63 * c8^63 * c7^63 * c6^63 * c5^63 * c4^63 * c3^63 * c2^63 * c1^63 * c0^63 * dy",
        chain("a"),
        chain("c")
    );
    assert_eq!(check("wrapped", &body, NotProved), None);
}

/// Right rules that once crashed or stayed undecided.
#[test]
fn right_rules_are_proved() {
    all(&[
        (
            "hinge_over_pairs",
            "dims n input x[n] declares convention \"ties\" output y = sum(i, j) max(1 + x[i] - x[j], 0) saves x
             dx[k] = dy * ((sum(j) if 1 + x[k] - x[j] > 0 then 1 else 0) - (sum(i) if 1 + x[i] - x[k] > 0 then 1 else 0))",
            Proved,
        ),
        (
            "softsign",
            "input x declares convention \"at zero\" output y = x / (1 + abs(x)) saves x dx = dy / (1 + abs(x))^2",
            Proved,
        ),
        (
            "tanh_over_pairs",
            "dims n input x[n], a[n], b[n] output y = sum(i, j) a[i] * b[j] * tanh(x[i] - x[j]) saves x, a, b
             da[i] = dy * sum(j) b[j] * tanh(x[i] - x[j]) db[j] = dy * sum(i) a[i] * tanh(x[i] - x[j])
             dx[k] = dy * (sum(j) a[k] * b[j] * (1 - tanh(x[k] - x[j])^2))
                   - dy * (sum(i) a[i] * b[k] * (1 - tanh(x[i] - x[k])^2))",
            Proved,
        ),
        (
            "local_attention",
            "dims s, w, d partial map at: s, w -> s input q[s, d], k[s, d], v[s, d]
             let e[i, j] = exp(sum(c) q[i, c] * k[at(i, j), c]) let z[i] = sum(j) e[i, j] let p[i, j] = e[i, j] / z[i]
             output y[i, c] = sum(j) p[i, j] * v[at(i, j), c] saves q, k, v, p, y
             let dp[i, j] = sum(c) dy[i, c] * v[at(i, j), c]
             let ds[i, j] = p[i, j] * (dp[i, j] - sum(c) dy[i, c] * y[i, c])
             dq[i, c] = sum(j) ds[i, j] * k[at(i, j), c]
             dk[t, c] = sum(i, j) [at(i, j) == t] * ds[i, j] * q[i, c]
             dv[t, c] = sum(i, j) [at(i, j) == t] * p[i, j] * dy[i, c]",
            Proved,
        ),
        (
            "concatenated_and_gathered",
            "dims a, b, n, m split l: a, r: b -> n map f: m -> n input x[a], z[b]
             output y[l(i)] = x[i] output y[r(i)] = z[i] output w[i] = y[f(i)]
             dx[j] = dy[l(j)] + sum(i) [f(i) == l(j)] * dw[i] dz[j] = dy[r(j)] + sum(i) [f(i) == r(j)] * dw[i]",
            Proved,
        ),
    ]);
}

/// Statements made to grow: each ends soon, and none is proved wrongly. On a thread as small as a test's,
/// so that a recursion without end is seen.
#[test]
fn statements_that_grow_end_soon() {
    let doubling = |op: &str, count: usize, last: &str| -> String {
        let lets: String = (1..count).map(|k| format!("let a{k}[i] = a{p}[i] {op} a{p}[i] ", p = k - 1)).collect();
        format!("dims n input x[n] let a0[i] = x[i] * x[i] + x[i] {lets} output y[i] = {last}")
    };
    let nested = |domain: &str, count: usize, open: &str, depth: usize| -> String {
        let lets: String = (1..count)
            .map(|k| format!("let a{k}[i] = {}a{}[i]{} ", open.repeat(depth), k - 1, ")".repeat(depth)))
            .collect();
        format!("dims n input x[n] {domain} let a0[i] = x[i] {lets} output y[i] = a{}[i]", count - 1)
    };
    let letters = "a b c d e f g h i j k l m o p q";
    let many = letters.split(' ').map(|v| format!("{v}: n")).collect::<Vec<_>>().join(", ");
    let more = letters.split(' ').map(|v| format!("{v}1: n")).collect::<Vec<_>>().join(", ");
    let maps = (0..40).map(|k| format!("f{k}: n -> n")).collect::<Vec<_>>().join(", ");
    let product = (0..40).map(|k| format!("x[f{k}(i)]")).collect::<Vec<_>>().join(" * ");
    let product = [product.as_str(); 50].map(|p| format!("({p})"));
    let product = product.chunks(10).map(|c| format!("({})", c.join(" * "))).collect::<Vec<_>>().join(" * ");
    let ifs = (0..30).map(|k| format!("(if x[f{k}(i)] > 0 then x[i] else x[f{k}(i)])")).collect::<Vec<_>>().join(" + ");
    let parts = (0..8).map(|k| format!("p{k}")).collect::<Vec<_>>().join(", ");
    let split = (0..8).map(|k| format!("s{k}: p{k}")).collect::<Vec<_>>().join(", ");
    let cases = [
        ("squares", doubling("*", 60, "a59[i]")),
        ("squares_under_log", doubling("*", 60, "log(a59[i])")),
        ("doubles_under_recip", doubling("+", 200, "recip(a199[i])")),
        ("nested_tanh", nested("", 200, "tanh(", 40)),
        ("nested_exp", nested("", 60, "exp(1 + ", 20)),
        ("nested_recip", nested("where x[i] > 0", 200, "recip(1 + ", 1)),
        ("sum_of_sums", format!("dims n input x[n] output y = sum({many}) sum({more}) x[a] saves x dx[i] = dy")),
        ("backward_sum_of_sums", format!("dims n input x[n] output y = sum(i) x[i] saves x dx[r] = dy * sum({many}) sum({more}) x[a]")),
        ("split_many", format!("dims n, {parts} split {split} -> n input x[n] output y = sum({many}) x[a] * x[q]")),
        (
            "nested_maps_into_a_covered_dimension",
            format!(
                "dims n, a, b map f: n -> n bijection l: a, b -> n input x[n] output y[i] = x[{}i{}]",
                "f(".repeat(40),
                ")".repeat(40)
            ),
        ),
        ("long_product", format!("dims n map {maps} input x[n] output y[i] = {product}")),
        ("many_ifs", format!("dims n map {maps} input x[n] output y[i] = exp({ifs}) declares convention \"ties\"")),
        (
            "many_orders",
            "dims m, n input x[n], z[m] output y = (sum(a) x[a])^30 * (sum(b) z[b])^2 saves x, z
             dx[i] = 30 * dy * (sum(a) x[a])^29 * (sum(b) z[b])^2 dz[i] = 2 * dy * (sum(a) x[a])^30 * (sum(b) z[b])".to_owned(),
        ),
        (
            "many_matches",
            "dims n input x[n, n], c[n] where x[i, j] > 0
             let s = 1 + (sum(a, b, d, e, f, g, h) x[a, b] * x[b, d] * x[d, e] * x[e, f] * x[f, g] * x[g, h] * x[h, a])
             output y = (sum(a, b, d, e, f, g, h, i, j, k) c[a] * x[a, b] * x[b, d] * x[d, e] * x[e, f] * x[f, g] * x[g, h] * x[h, i] * x[i, j] * x[j, k]) / s
             saves x, c dx[i, j] = dy dc[i] = dy".to_owned(),
        ),
    ];
    let limit = if cfg!(debug_assertions) { Duration::from_secs(20) } else { Duration::from_secs(4) };
    let mut slow = Vec::new();
    for (name, body) in cases {
        let started = Instant::now();
        if let Err(fault) = outcome(name, &body) {
            slow.push(fault);
        }
        let took = started.elapsed();
        if took > limit {
            slow.push(format!("{name} took {took:?}"));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// Where the forward part is smooth nothing is convention, whatever the rule declares of its own boundary.
#[test]
fn a_boundary_of_the_rule_alone_is_no_convention() {
    all(&[(
        "masked_division",
        "dims n input a[n], b[n] output y[i] = a[i] * b[i] saves a, b, y declares convention \"zero at zero\"
         da[i] = if a[i] > 0 then dy[i] * y[i] / a[i] else (if a[i] < 0 then dy[i] * y[i] / a[i] else 0)
         db[i] = dy[i] * a[i]",
        Refuted,
    )]);
}
