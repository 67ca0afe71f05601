//! Statements that the kernel proves and that no Rust type stood for once, each with the numbers that it must give.
#![allow(clippy::float_cmp, reason = "the numbers are small whole ones")]
#![allow(clippy::wrong_self_convention, reason = "a trait of a user's that takes the name of a method")]

use pullback::{Contract, ContractExt, Cotangent, IndexMap, N, ProvedContract, Tensor};

type V<const LEN: usize> = Tensor<(N<LEN>,), f64>;

fn vector<const LEN: usize>(values: [f64; LEN]) -> V<LEN>
where
    N<LEN>: pullback::Dim,
{
    Tensor::from_fn(|i| values[i])
}

fn needs_proof<C: ProvedContract>(contract: C) -> C {
    contract
}

mod grouping {
    use super::*;

    macro_rules! scaled {
        ($name:ident, $e:expr) => {
            pullback::contract! { contract $name version 1 dims n input x[n] output y[i] = $e * x[i] }
        };
    }
    macro_rules! squared_expression {
        ($name:ident, $e:expr) => {
            pullback::contract! { contract $name version 1 dims n input x[n] output y[i] = $e^2 * x[i] }
        };
    }
    macro_rules! squared_literal {
        ($name:ident, $e:literal) => {
            pullback::contract! { contract $name version 1 dims n input x[n] output y[i] = $e^2 * x[i] }
        };
    }
    macro_rules! power {
        ($name:ident, $e:literal) => {
            pullback::contract! { contract $name version 1 dims n input x[n] where x[i] > 0 output y[i] = x[i]^$e }
        };
    }
    macro_rules! handed_on {
        ($name:ident, $e:expr) => {
            squared_expression! { $name, $e }
        };
    }
    macro_rules! positive_part {
        ($name:ident, $condition:expr, $then:expr) => {
            pullback::contract! {
                contract $name version 1 dims n input x[n]
                output y[i] = if $condition then $then else 0
                declares subgradient "0 at 0"
            }
        };
    }

    scaled!(three, 1 + 2);
    squared_expression!(nine, 1 + 2);
    squared_expression!(read, x[i]);
    squared_literal!(minus_three, -3);
    power!(cubed, 3);
    power!(inverse_square, -2);
    handed_on!(handed, 2 - 4);
    positive_part!(part, x[i] > 0, 2 * x[i]);

    #[test]
    fn a_fragment_keeps_its_parentheses() {
        let x = vector([10.0]);
        let at = |y: V<1>| y.as_slice()[0];
        assert_eq!(at(three::<N<1>, f64>().forward(x.clone()).unwrap().0), 30.0);
        assert_eq!(at(nine::<N<1>, f64>().forward(x.clone()).unwrap().0), 90.0);
        assert_eq!(at(read::<N<1>, f64>().forward(x.clone()).unwrap().0), 1000.0);
        assert_eq!(at(minus_three::<N<1>, f64>().forward(x.clone()).unwrap().0), 90.0);
        assert_eq!(at(cubed::<N<1>, f64>().forward(x.clone()).unwrap().0), 1000.0);
        assert_eq!(at(inverse_square::<N<1>, f64>().forward(vector([0.5])).unwrap().0), 4.0);
        assert_eq!(at(handed::<N<1>, f64>().forward(x.clone()).unwrap().0), 40.0);
        assert_eq!(at(part::<N<1>, f64>().forward(x).unwrap().0), 20.0);
        assert!(Three::<N<1>>::STATEMENT.split_whitespace().collect::<String>().contains("(1+2)*x[i]"));
    }
}

/// Keywords of Rust are names like any other.
mod keywords {
    #![deny(warnings)]
    use super::*;

    pullback::contract! { contract gen version 1 dims gen param try map async: gen -> gen input x[gen] output y[i: gen] = try * x[async(i)] }
    pullback::contract! { contract match version 1 dims self, super param crate > 0 input fn[self, super] output y[i, j] = crate * fn[i, j]^2 }
    pullback::contract! { contract dyn version 1 dims pub input x[pub] output y[i] = x[i]^2 }

    #[test]
    fn keywords_are_names() {
        let swap = IndexMap::from_fn(|i| 1 - i).unwrap();
        let contract = needs_proof(r#gen::<N<2>, f64>(swap, 3.0));
        let (y, saved) = contract.forward(vector([1.0, 2.0])).unwrap();
        assert_eq!(y.as_slice(), [6.0, 3.0]);
        assert_eq!(contract.pullback(&saved, Cotangent::new(vector([1.0, 10.0]))).into_inner().as_slice(), [30.0, 3.0]);
        assert!(r#match::<N<1>, N<1>, f64>(-1.0).is_err());
        assert_eq!(r#dyn::<N<1>, f64>().forward(vector([3.0])).unwrap().0.as_slice(), [9.0]);
    }
}

/// A map, a parameter and a constant share a name with each other, and with items of the scope.
mod shared_names {
    #![deny(warnings)]
    use super::*;

    pullback::dims! { W = 3; K = 4 }
    #[allow(dead_code, reason = "its name is what matters")]
    const PARAM0: f64 = 1.0;
    #[allow(dead_code, non_upper_case_globals, reason = "its name is what matters")]
    static value: f64 = 1.0;

    pullback::contract! { contract map_and_constant version 1 dims n constant w[n] map w: n -> n input x[n] output y[i] = w[i] * x[w(i)] }
    pullback::contract! { contract map_and_param version 1 dims n param c map c: n -> n input x[n] output y[i] = c * x[c(i)] }
    pullback::contract! { contract axis_and_constant version 1 dims n constant W[n] input x[n] output y[i] = W[i] * x[i]^2 }
    pullback::contract! { contract constant_and_param version 1 dims n param PARAM0 > 0 input x[n] output y[i] = PARAM0 * x[i]^2 }
    pullback::contract! { contract static_and_param version 1 dims n param value >= 0 input x[n] output y[i] = value * x[i]^2 }

    #[test]
    fn names_are_kept_apart() {
        let swap = || IndexMap::from_fn(|i| 1 - i).unwrap();
        let x = || vector([1.0, 2.0]);
        let one = map_and_constant::<N<2>, f64>(swap(), vector([5.0, 7.0]));
        assert_eq!(one.forward(x()).unwrap().0.as_slice(), [10.0, 7.0]);
        let two = map_and_param::<N<2>, f64>(swap(), 3.0);
        assert_eq!(two.forward(x()).unwrap().0.as_slice(), [6.0, 3.0]);
        let three = axis_and_constant::<N<2>, f64>(vector([5.0, 7.0]));
        assert_eq!(three.forward(x()).unwrap().0.as_slice(), [5.0, 28.0]);
        let four = constant_and_param::<N<2>, f64>(2.0).unwrap();
        assert_eq!(four.forward(x()).unwrap().0.as_slice(), [2.0, 8.0]);
        assert_eq!(constant_and_param::<N<2>, f64>(0.0).unwrap_err().condition(), "PARAM0 > 0");
        assert_eq!(static_and_param::<N<2>, f64>(-1.0).unwrap_err().condition(), "value >= 0");
        assert_eq!((<W as pullback::Dim>::SIZE, <K as pullback::Dim>::SIZE), (3, 4));
    }
}

/// No prelude, and a module of the name of a tool.
#[no_implicit_prelude]
mod bare {
    #![deny(warnings)]
    #[allow(dead_code, reason = "its name is what matters")]
    mod diagnostic {}

    ::pullback::contract! { contract many version 1 dims s.., n, k param a > 0 partial map p: n -> k map q: n -> k constant c[s.., n] input x[s.., k], v where x[i.., j] > 0 let l[j: n] = sum(i..: s..) (log(x[i.., p(j)] + 1) / 3 + 0.1) output y[i.., j: n] = c[i.., j] * x[i.., q(j)]^3 * a * l[j] }
    ::pullback::contract! { contract largest version 1 dims s.., n input x[s.., n] output y[i..] = max(k) x[i.., k] declares subgradient "argmax" }
    ::pullback::contract! { contract moved version 1 dims s.., r.. bijection b: s.. -> r.. input x[s..] output y[b(i..)] = x[i..]^2 }
    ::pullback::contract! { contract product version 1 dims n, m, k input a[n, k], b[k, m] output y[i, j] = sum(l) a[i, l] * b[l, j] }
}

/// Methods of the user's traits are not those of generated code: this one would be found first.
mod shadowed {
    use super::*;

    trait Shadow {
        fn as_slice(self) -> &'static [f64];
    }
    impl Shadow for &V<2> {
        fn as_slice(self) -> &'static [f64] {
            &[100.0, 100.0]
        }
    }
    impl Shadow for V<2> {
        fn as_slice(self) -> &'static [f64] {
            &[100.0, 100.0]
        }
    }
    pullback::contract! { contract shadowed_double version 1 dims n input x[n] output y[i] = 2 * x[i] }

    #[test]
    fn traits_in_scope_change_nothing() {
        let y = shadowed_double::<N<2>, f64>().forward(vector([1.0, 2.0])).unwrap().0;
        assert_eq!(Tensor::as_slice(&y), [2.0, 4.0]);
        assert_eq!(Shadow::as_slice(y), [100.0, 100.0]);
    }
}

/// Attributes cover all that is made.
mod attributes {
    #![deny(warnings)]
    use super::*;

    pullback::contract! { #[cfg(any())] contract absent version 1 dims n input x[n] output y[i] = x[i]^2 }
    pullback::contract! { #[cfg(any())] contract present version 1 dims n input x[n] output y[i] = x[i]^3 }
    pullback::contract! { #[cfg(all())] contract present version 1 dims n input x[n] output y[i] = x[i]^2 }
    pullback::contract! {
        #[deprecated(note = "there is a better one")]
        #[must_use]
        #[cfg_attr(all(), doc(hidden), allow(unused))]
        /// Old.
        contract old version 1 dims n input x[n] output y[i] = x[i]^2 saves x dx[i] = 2 * x[i] * dy[i]
    }
    macro_rules! handed_on {
        ($(#[$attribute:meta])* $visibility:vis $name:ident) => {
            pullback::contract! {
                $(#[$attribute])* $visibility contract $name version 1 dims n input x[n] output y[i] = x[i]^2
            }
        };
    }
    handed_on!(#[cfg(any())] pub(super) missing);
    handed_on!(#[cfg(all())] #[doc = "Docs."] pub(super) handed);
    handed_on!(plain);

    /// What a function of this name would collide with, were it there.
    fn absent() -> f64 {
        1.0
    }

    #[test]
    fn attributes_cover_everything() {
        assert_eq!(present::<N<1>, f64>().forward(vector([3.0])).unwrap().0.as_slice(), [9.0]);
        assert_eq!(absent(), 1.0);
        assert_eq!(handed::<N<1>, f64>().forward(vector([3.0])).unwrap().0.as_slice(), [9.0]);
        assert_eq!(plain::<N<1>, f64>().forward(vector([3.0])).unwrap().0.as_slice(), [9.0]);
        #[expect(deprecated, reason = "both names are")]
        let _: Old<N<1>> = old();
    }

    #[test]
    fn a_contract_may_stand_in_a_function() {
        pullback::contract! { contract local version 1 dims n input x[n] output y[i] = x[i]^2 }
        assert_eq!(local::<N<1>, f64>().forward(vector([3.0])).unwrap().0.as_slice(), [9.0]);
        let _: Option<Local<N<1>>> = None;
    }
}

/// More inputs, outputs and saved values than a tuple has parts: the last part is the tuple of the rest.
mod many {
    use super::*;

    pullback::contract! {
        contract thirteen version 1 dims n
        input x0[n], x1[n], x2[n], x3[n], x4[n], x5[n], x6[n], x7[n], x8[n], x9[n], x10[n], x11[n], x12[n]
        output y = sum(i) (x0[i]^2 + x1[i]^2 + x2[i]^2 + x3[i]^2 + x4[i]^2 + x5[i]^2 + x6[i]^2 + x7[i]^2 + x8[i]^2 + x9[i]^2 + x10[i]^2 + x11[i]^2 + x12[i]^2)
    }
    pullback::contract! {
        contract powers version 1
        input x
        output y0 = 1 * x
        output y1 = 2 * x
        output y2 = 3 * x
        output y3 = 4 * x
        output y4 = 5 * x
        output y5 = 6 * x
        output y6 = 7 * x
        output y7 = 8 * x
        output y8 = 9 * x
        output y9 = 10 * x
        output y10 = 11 * x
        output y11 = 12 * x
        output y12 = 13 * x
    }

    #[test]
    fn the_rest_is_a_tuple_of_its_own() {
        let x = |k: usize| vector([k as f64]);
        let input = (x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8), x(9), x(10), (x(11), x(12)));
        let contract = needs_proof(thirteen::<N<1>, f64>());
        let (y, saved) = contract.forward(input.clone()).unwrap();
        assert_eq!(y.as_slice(), [650.0]);
        let dx = contract.pullback(&saved, Cotangent::new(Tensor::scalar(1.0))).into_inner();
        assert_eq!((dx.1.as_slice(), dx.11.0.as_slice(), dx.11.1.as_slice()), (&[2.0][..], &[22.0][..], &[24.0][..]));
        // It composes, and a program applies it.
        let _ = needs_proof(thirteen::<N<1>, f64>().then(pullback::identity()));
        type Given = <Thirteen<N<1>, f64> as Contract>::Input;
        let program =
            pullback::Program::<Given, Tensor<(), f64>>::trace(|v| pullback::Symbolic::of(&thirteen::<N<1>, f64>(), v))
                .unwrap();
        assert_eq!(program.evaluate(input).unwrap().as_slice(), [650.0]);

        let contract = needs_proof(powers::<f64>());
        let (y, saved) = contract.forward(Tensor::scalar(2.0)).unwrap();
        assert_eq!((y.0.as_slice(), y.11.1.as_slice()), (&[2.0][..], &[26.0][..]));
        let dx = contract.pullback(&saved, Cotangent::new(y)).into_inner();
        assert_eq!(dx.as_slice(), [2.0 * 819.0]);
    }
}

/// Splits of packs, into packs, and into many parts.
mod splits {
    use super::*;

    pullback::contract! { contract whole version 1 dims n, s.. split p1: n, p2: n -> s.. input x[s..] output y = sum(i: n) x[p1(i)]^2 }
    pullback::contract! { contract parts version 1 dims s.., k split p1: s.., p2: s.. -> k input x[k] output y = sum(i..: s..) x[p2(i..)]^2 }
    pullback::contract! { contract seven version 1 dims n, k split p1: n, p2: n, p3: n, p4: n, p5: n, p6: n, p7: n -> k input x[k] output y = sum(i: n) x[p7(i)]^2 }

    #[test]
    fn what_is_split_can_be_made() {
        let x: Tensor<(N<2>, N<2>), f64> = Tensor::from_fn(|i| i as f64 + 1.0);
        let contract = needs_proof(whole::<N<2>, (N<2>, N<2>), f64>());
        let (y, saved) = contract.forward(x).unwrap();
        assert_eq!(y.as_slice(), [5.0]);
        let dx = contract.pullback(&saved, Cotangent::new(Tensor::scalar(1.0))).into_inner();
        assert_eq!(dx.as_slice(), [2.0, 4.0, 0.0, 0.0]);

        let contract = needs_proof(parts::<(N<2>,), N<4>, f64>());
        let (y, saved) = contract.forward(vector([1.0, 2.0, 3.0, 4.0])).unwrap();
        assert_eq!(y.as_slice(), [25.0]);
        let dx = contract.pullback(&saved, Cotangent::new(Tensor::scalar(1.0))).into_inner();
        assert_eq!(dx.as_slice(), [0.0, 0.0, 6.0, 8.0]);

        let contract = needs_proof(seven::<N<2>, N<14>, f64>());
        let y = contract.forward(Tensor::from_fn(|i| i as f64)).unwrap().0;
        assert_eq!(y.as_slice(), [12.0 * 12.0 + 13.0 * 13.0]);
    }
}
