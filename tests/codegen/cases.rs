//! Every statement of the library, its constructor's arguments and the sizes it is run at.
//!
//! `exact` ones run on rationals, `real` ones on `f64`. An underscore is a map, a parameter or a constant, made from the case's seed.

use pullback::{N, Rational, ops};

use super::agree::{Length, Sample, agree, positive, statement};

/// Fragments: `exact name(_ _) [sizes] [sizes];`, `fallible` where the constructor checks a parameter.
macro_rules! cases {
    ($($kind:ident $name:ident($($argument:tt)*) $($fallible:ident)? [$($first:ty),*] [$($second:ty),*];)*) => {$(
        #[test]
        fn $name() {
            cases! { @run $kind $name($($argument)*) $($fallible)? [$($first),*] }
            cases! { @run $kind $name($($argument)*) $($fallible)? [$($second),*] }
        }
    )*
        /// Every statement has a case.
        #[test]
        fn all_statements_are_here() {
            let cases = [$(stringify!($name)),*];
            for (path, _) in ops::STATEMENTS {
                let name = path.rsplit('/').next().and_then(|f| f.strip_suffix(".contract"));
                assert!(name.is_some_and(|n| cases.contains(&n)), "{path} has no case");
            }
        }
    };
    (@run exact $($rest:tt)*) => { cases! { @with Rational, $($rest)* } };
    (@run real $($rest:tt)*) => { cases! { @with f64, $($rest)* } };
    (@with $scalar:ty, $name:ident($($argument:tt)*) [$($size:ty),*]) => {{
        let contract = cases! { @make $scalar, $name($($argument)*) [$($size),*] };
        agree::<$scalar, _>(stringify!($name), &contract, &[$(<$size as Length>::LENGTH),*]);
    }};
    (@with $scalar:ty, $name:ident($($argument:tt)*) fallible [$($size:ty),*]) => {{
        let contract = cases! { @make $scalar, $name($($argument)*) [$($size),*] }.unwrap();
        agree::<$scalar, _>(stringify!($name), &contract, &[$(<$size as Length>::LENGTH),*]);
    }};
    (@make $scalar:ty, $name:ident($($argument:tt)*) [$($size:ty),*]) => {{
        #[allow(unused_mut, unused_variables, reason = "a contract without data takes none")]
        let (mut at, only_positive) = (0usize, positive(&statement(stringify!($name))));
        #[allow(unused_mut, unused_variables, reason = "a contract without data takes none")]
        let mut next = || { at += 1; at - 1 };
        ops::$name::<$($size,)* $scalar>($(cases! { @argument $argument next only_positive }),*)
    }};
    (@argument _ $next:ident $positive:ident) => { Sample::sample($next(), $positive) };
}

cases! {
    exact add() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact add_constant(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact affine() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact bias_add() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact bias_add_channels() [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    exact cube() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact divide() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact multiply() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact multiply_constant(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact multiply_scalar() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact negate() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real power() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real atan2() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real power_constant(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact scale(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact select(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact shift(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact square() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact subtract() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real attention() [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>];
    real attention_bias() [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>];
    real attention_masked(_ _) [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>];
    real attention_recompute() [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>];
    exact rotary_embedding(_ _) [(N<2>,N<3>,), N<3>, N<4>, N<8>] [(N<1>,N<1>,), N<1>, N<1>, N<2>];
    exact bilinear() [(N<2>,N<3>,), N<3>, N<4>, N<5>] [(N<1>,N<1>,), N<1>, N<1>, N<1>];
    exact dot_general() [(N<2>,N<3>,), N<3>, N<4>, N<5>] [(N<1>,N<1>,), N<1>, N<1>, N<1>];
    exact gram() [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact inner_product() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact linear() [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact linear_map(_) [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact matmul() [N<2>, N<3>, N<4>] [N<1>, N<1>, N<1>];
    exact matrix_vector() [N<2>, N<3>] [N<1>, N<1>];
    exact outer_product() [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact conv1d(_) [N<2>, N<3>, N<4>, N<5>, N<2>, N<3>, N<2>] [N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact conv2d(_ _) [N<2>, N<2>, N<3>, N<4>, N<3>, N<2>, N<3>, N<2>, N<2>, N<3>] [N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact conv3d(_ _ _) [N<1>, N<2>, N<2>, N<3>, N<2>, N<3>, N<1>, N<2>, N<3>, N<2>, N<2>, N<1>, N<2>] [N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact conv_transpose1d(_) [N<2>, N<3>, N<4>, N<5>, N<2>, N<3>, N<2>] [N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact conv_transpose2d(_ _) [N<2>, N<2>, N<3>, N<4>, N<3>, N<2>, N<3>, N<2>, N<2>, N<3>] [N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact abs() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact clamp(_ _) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real elu(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact hard_sigmoid() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact hard_tanh() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact huber(_) fallible [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact smooth_l1(_) fallible [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact leaky_relu(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact prelu() [N<2>, N<3>, (N<2>,)] [N<1>, N<1>, (N<1>,)];
    exact floor() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact max_pool1d(_) [(N<2>,N<3>,), N<3>, N<4>, N<5>] [(N<1>,N<1>,), N<1>, N<1>, N<1>];
    exact max_pool2d(_ _) [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>, N<3>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact maximum() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact mean_absolute_error() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact minimum() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact reduce_max() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact reduce_min() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact relu() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact round_straight_through() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact stop_gradient() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real cosine() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real exponential() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real gelu_tanh() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real log() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real atan() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real erf() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real erfc() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real exponential_minus_one() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real gelu() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real log_plus_one() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real log_logistic() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real logistic() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact reciprocal() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real rsqrt() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real silu() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real sine() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real softplus() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real sqrt() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real tanh() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real binary_cross_entropy() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact mean_squared_error() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact negative_log_likelihood(_) [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real softmax_cross_entropy() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real softmax_cross_entropy_labels(_) [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real batch_norm(_) fallible [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    real batch_norm_inference(_ _ _) fallible [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    real batch_norm_training(_) fallible [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    real group_norm(_) fallible [N<2>, N<3>, N<4>, (N<2>,N<3>,)] [N<1>, N<1>, N<1>, (N<1>,N<1>,)];
    real l2_normalize(_) fallible [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real cosine_similarity(_) fallible [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real layer_norm(_) fallible [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real rms_norm(_) fallible [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real standardize(_) fallible [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact avg_pool1d(_) [(N<2>,N<3>,), N<3>, N<4>, N<5>] [(N<1>,N<1>,), N<1>, N<1>, N<1>];
    exact avg_pool2d(_ _) [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>, N<3>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    exact sum_pool1d(_) [(N<2>,N<3>,), N<3>, N<4>, N<5>] [(N<1>,N<1>,), N<1>, N<1>, N<1>];
    exact sum_pool2d(_ _) [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<2>, N<3>, N<2>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>, N<1>, N<1>];
    real gru_cell() [N<2>, N<3>, N<4>, N<12>] [N<1>, N<1>, N<1>, N<3>];
    real lstm_cell() [N<2>, N<3>, N<4>, N<16>] [N<1>, N<1>, N<1>, N<4>];
    real rnn_cell() [N<2>, N<3>, N<4>] [N<1>, N<1>, N<1>];
    exact dropout(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real log_softmax() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real logsumexp() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real softmax() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real logaddexp() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    real softmax_masked(_ _) [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    real euclidean_norm() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact mean() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact mean_all() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact mean_axis() [(N<2>,N<3>,), (N<2>,N<3>,), (N<2>,N<3>,)] [(N<1>,N<1>,), (N<1>,N<1>,), (N<1>,N<1>,)];
    exact mean_leading() [N<2>, (N<2>,N<3>,)] [N<1>, (N<1>,N<1>,)];
    real standard_deviation(_) fallible [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact sum_of_squares() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact variance() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact broadcast_in_dim() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact broadcast_in_dim_axis() [(N<2>,N<3>,), (N<2>,N<3>,), (N<2>,N<3>,)] [(N<1>,N<1>,), (N<1>,N<1>,), (N<1>,N<1>,)];
    exact broadcast_in_dim_leading() [N<2>, (N<2>,N<3>,)] [N<1>, (N<1>,N<1>,)];
    exact broadcast_in_dim_scalar() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact concatenate() [(N<2>,N<3>,), N<3>, N<4>, N<7>] [(N<1>,N<1>,), N<1>, N<1>, N<2>];
    exact concatenate_leading() [N<2>, N<3>, N<5>, (N<2>,N<3>,)] [N<1>, N<1>, N<2>, (N<1>,N<1>,)];
    exact concatenate_three() [(N<2>,N<3>,), N<3>, N<4>, N<5>, N<12>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<3>];
    exact constant(_) [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact diagonal() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact diagonal_matrix() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact gather(_) [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    exact one_hot(_) [(N<2>,N<3>,), N<4>] [(N<1>,), N<1>];
    exact pad(_ _) [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact patches(_) [(N<2>,N<3>,), N<3>, N<4>, N<5>] [(N<1>,N<1>,), N<1>, N<1>, N<1>];
    exact permute(_) [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact permute_axes(_) [(N<2>,N<3>,), (N<3>,N<2>,)] [(N<1>,N<1>,), (N<1>,N<1>,)];
    exact reduce_sum() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact reduce_sum_all() [(N<2>,N<3>,)] [(N<1>,N<1>,)];
    exact reduce_sum_axis() [(N<2>,N<3>,), (N<2>,N<3>,), (N<2>,N<3>,)] [(N<1>,N<1>,), (N<1>,N<1>,), (N<1>,N<1>,)];
    exact reduce_sum_leading() [N<2>, (N<2>,N<3>,)] [N<1>, (N<1>,N<1>,)];
    exact reshape(_) [(N<2>,N<3>,), (N<3>,N<2>,)] [(N<1>,N<1>,), (N<1>,N<1>,)];
    exact reverse(_) [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact scatter(_) [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    exact scatter_add(_) [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    exact segment_sum(_) [N<2>, N<3>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    // One segment, so that none is empty.
    exact segment_mean(_) [N<3>, N<1>, (N<2>,N<3>,)] [N<1>, N<1>, (N<1>,N<1>,)];
    exact resize_nearest(_ _) [(N<2>,), N<3>, N<2>, N<5>, N<3>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>];
    exact resize_bilinear(_ _ _ _ _ _) [(N<2>,), N<3>, N<2>, N<5>, N<3>] [(N<1>,N<1>,), N<1>, N<1>, N<1>, N<1>];
    exact slice(_) [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact split() [(N<2>,N<3>,), N<3>, N<4>, N<7>] [(N<1>,N<1>,), N<1>, N<1>, N<2>];
    exact take(_) [(N<2>,N<3>,), (N<2>,N<3>,)] [(N<1>,N<1>,), (N<1>,N<1>,)];
    exact take_along_axis(_) [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
    exact trace() [(N<2>,N<3>,), N<3>] [(N<1>,N<1>,), N<1>];
    exact transpose() [(N<2>,N<3>,), N<3>, N<4>] [(N<1>,N<1>,), N<1>, N<1>];
}

/// A random statement at three lists of sizes, in every scalar that it has.
macro_rules! random {
    ($kind:ident $name:ident($($argument:tt)*) [$($first:ty),*] [$($second:ty),*] [$($third:ty),*] $text:expr) => {
        mod $name {
            use super::*;
            #[allow(unused_imports, reason = "each kind takes some")]
            use crate::agree::{applied, none};
            #[allow(unused_imports, reason = "each kind takes some")]
            use pullback::{Dual, Rational};

            #[test]
            fn generated_code_agrees() {
                let statement = pullback_kernel::load($text).0.remove(0).with_derived_rule();
                random! { @$kind statement $name($($argument)*) [$($first),*] }
                random! { @$kind statement $name($($argument)*) [$($second),*] }
                random! { @$kind statement $name($($argument)*) [$($third),*] }
            }
        }
    };
    (@exact $($rest:tt)*) => {
        random! { @in Rational, applied, $($rest)* }
        random! { @in f64, applied, $($rest)* }
        random! { @in f32, applied, $($rest)* }
        // No program has duals in it.
        random! { @in Dual<Rational>, none, $($rest)* }
    };
    (@real $($rest:tt)*) => {
        random! { @in f64, applied, $($rest)* }
        random! { @in f32, applied, $($rest)* }
    };
    (@in $scalar:ty, $operation:ident, $statement:ident $name:ident($($argument:tt)*) [$($size:ty),*]) => {{
        #[allow(unused_mut, unused_variables, unused_assignments, reason = "a contract without data takes none")]
        let mut at = 0usize;
        #[allow(unused_mut, unused_variables, reason = "a contract without data takes none")]
        let mut next = || { at += 1; at - 1 };
        let contract = super::$name::<$($size,)* $scalar>($(random! { @argument $argument next }),*);
        let sizes = [$(<$size as crate::agree::Length>::LENGTH),*];
        crate::agree::agree_with::<$scalar, _>(&$statement, &contract, $operation(&contract), &sizes);
    }};
    (@argument _ $next:ident) => { crate::agree::Sample::sample($next(), false) };
}
pub(crate) use random;
