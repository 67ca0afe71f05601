//! Random statements as generated code, at three lists of sizes.
//!
//! Written by `fresh`, and not by hand: `UPDATE=1 cargo test --test codegen` makes it anew.

use pullback::{N, contract};

use super::cases::random;

contract! {
    contract exact_0 version 1
    dims m, n, p, q, k
    map f: m -> n
    split lo: p, hi: q -> k
    input x1[k, q, p], x2[q], x3[k, m], x4[k, k, q, n]
    output y0[lo(i1: p), i2: p] = (sum(c3: q) x1[lo(i1), c3, i2] * x2[c3])
    output y0[hi(i4: q), i5: p] = (sum(c6: p, c7: m) x3[lo(c6), c7] * x4[lo(i5), lo(c6), i4, f(c7)] * x1[lo(i5), i4, i5])
}
random! {
    exact exact_0(_)
    [N<1>, N<1>, N<1>, N<1>, N<2>]
    [N<2>, N<3>, N<5>, N<2>, N<7>]
    [N<42>, N<1>, N<3>, N<2>, N<5>]
    concat!(
    "contract exact_0 version 1", "\n",
    "dims m, n, p, q, k", "\n",
    "map f: m -> n", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[k, q, p], x2[q], x3[k, m], x4[k, k, q, n]", "\n",
    "output y0[lo(i1: p), i2: p] = (sum(c3: q) x1[lo(i1), c3, i2] * x2[c3])", "\n",
    "output y0[hi(i4: q), i5: p] = (sum(c6: p, c7: m) x3[lo(c6), c7] * x4[lo(i5), lo(c6), i4, f(c7)] * x1[lo(i5), i4, i5])"
    )
}

contract! {
    contract exact_1 version 1
    dims s.., m, n
    partial map g: n -> m
    bijection r: n -> n
    input x1[n], x2[s.., m], x3
    output y0[i1..: s..] = ((sum(c2: n) x1[r(c2)] * x2[i1.., g(c2)]) - (x3)^2)
}
random! {
    exact exact_1(_ _)
    [(), N<1>, N<1>]
    [(N<2>,N<2>,), N<3>, N<5>]
    [(N<2>,), N<41>, N<2>]
    concat!(
    "contract exact_1 version 1", "\n",
    "dims s.., m, n", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "input x1[n], x2[s.., m], x3", "\n",
    "output y0[i1..: s..] = ((sum(c2: n) x1[r(c2)] * x2[i1.., g(c2)]) - (x3)^2)"
    )
}

contract! {
    contract exact_2 version 1
    dims m, n, p, q, k
    partial map g: n -> m
    bijection r: n -> n
    split lo: p, hi: q -> k
    input x1[n], x2[n, m, k, m], x3[n, p, m], x4[m, n]
    let a = (sum(c1: n) x1[c1] * x1[r(c1)])
    output y0[lo(i2: p), i3: n] = (sum(c4: m, c5: n) x2[r(i3), c4, lo(i2), g(c5)] * x3[r(c5), i2, c4] * x4[c4, c5])
    output y0[hi(i6: q), i7: n] = (sum(c8: p) x1[r(i7)] * x4[g(i7), i7])
}
random! {
    exact exact_2(_ _)
    [N<1>, N<1>, N<1>, N<1>, N<2>]
    [N<2>, N<3>, N<5>, N<2>, N<7>]
    [N<1>, N<38>, N<2>, N<1>, N<3>]
    concat!(
    "contract exact_2 version 1", "\n",
    "dims m, n, p, q, k", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[n], x2[n, m, k, m], x3[n, p, m], x4[m, n]", "\n",
    "let a = (sum(c1: n) x1[c1] * x1[r(c1)])", "\n",
    "output y0[lo(i2: p), i3: n] = (sum(c4: m, c5: n) x2[r(i3), c4, lo(i2), g(c5)] * x3[r(c5), i2, c4] * x4[c4, c5])", "\n",
    "output y0[hi(i6: q), i7: n] = (sum(c8: p) x1[r(i7)] * x4[g(i7), i7])"
    )
}

contract! {
    contract exact_3 version 1
    dims s.., m, n, p, q, k
    partial map g: n -> m
    bijection r: n -> n
    split lo: p, hi: q -> k
    input x1[k], x2[k, p], x3[q, p, k, k], x4[p, k, m, s..]
    output y0[i1: k, lo(i2: p)] = (x1[lo(i2)]) * (x1[lo(i2)])
    output y0[i3: k, hi(i4: q)] = (sum(c5: p, c6: q) x2[hi(c6), c5] * x3[i4, c5, hi(c6), i3])
    output y1[lo(i7: p), r(i8: n), i9..: s..] = (sum(c10: p) x4[c10, lo(i7), g(i8), i9..] * x1[lo(i7)])
    output y1[hi(i11: q), r(i12: n), i13..: s..] = (sum(c14..: s..) x1[hi(i11)] * x1[hi(i11)])
}
random! {
    exact exact_3(_ _)
    [(), N<1>, N<1>, N<1>, N<1>, N<2>]
    [(N<2>,N<5>,), N<2>, N<7>, N<3>, N<2>, N<5>]
    [(N<1>,), N<1>, N<41>, N<2>, N<3>, N<5>]
    concat!(
    "contract exact_3 version 1", "\n",
    "dims s.., m, n, p, q, k", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[k], x2[k, p], x3[q, p, k, k], x4[p, k, m, s..]", "\n",
    "output y0[i1: k, lo(i2: p)] = (x1[lo(i2)]) * (x1[lo(i2)])", "\n",
    "output y0[i3: k, hi(i4: q)] = (sum(c5: p, c6: q) x2[hi(c6), c5] * x3[i4, c5, hi(c6), i3])", "\n",
    "output y1[lo(i7: p), r(i8: n), i9..: s..] = (sum(c10: p) x4[c10, lo(i7), g(i8), i9..] * x1[lo(i7)])", "\n",
    "output y1[hi(i11: q), r(i12: n), i13..: s..] = (sum(c14..: s..) x1[hi(i11)] * x1[hi(i11)])"
    )
}

contract! {
    contract exact_4 version 1
    dims m, n, p, q, k
    map f: m -> n
    partial map g: n -> m
    bijection r: n -> n
    split lo: p, hi: q -> k
    input x1[n, m], x2[n, n], x3[m, m, p, p], x4[n]
    let a[i1: m, i2: m] = ((sum(c3: n) x1[f(i2), g(c3)] * x2[f(i1), r(c3)])) / (3 / 2 + (1)^2)
    output y0[i4: p, lo(i5: p), i6: m] = (sum(c7: m) x3[g(f(c7)), i6, i5, i4] * x4[f(c7)] * x4[r(f(c7))])
    output y0[i8: p, hi(i9: q), i10: m] = (sum(c11: q) x3[i10, i10, i8, i8] * x2[f(i10), f(i10)])
}
random! {
    exact exact_4(_ _ _)
    [N<1>, N<1>, N<1>, N<1>, N<2>]
    [N<2>, N<3>, N<5>, N<2>, N<7>]
    [N<37>, N<3>, N<1>, N<3>, N<4>]
    concat!(
    "contract exact_4 version 1", "\n",
    "dims m, n, p, q, k", "\n",
    "map f: m -> n", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[n, m], x2[n, n], x3[m, m, p, p], x4[n]", "\n",
    "let a[i1: m, i2: m] = ((sum(c3: n) x1[f(i2), g(c3)] * x2[f(i1), r(c3)])) / (3 / 2 + (1)^2)", "\n",
    "output y0[i4: p, lo(i5: p), i6: m] = (sum(c7: m) x3[g(f(c7)), i6, i5, i4] * x4[f(c7)] * x4[r(f(c7))])", "\n",
    "output y0[i8: p, hi(i9: q), i10: m] = (sum(c11: q) x3[i10, i10, i8, i8] * x2[f(i10), f(i10)])"
    )
}

contract! {
    contract exact_9 version 1
    dims s.., m, n, p, e
    map f: m -> n
    partial map g: n -> m
    bijection r: n -> n
    bijection flat: m * n -> e
    input x1[e, m], x2[n, n, e, n], x3[n], x4[m]
    let a[i1: m, i2: n] = (sum(c3: n, c4: e) x1[c4, g(c3)] * x2[r(c3), f(g(i2)), c4, f(i1)])
    output y0 = (sum(c5: n) x3[c5] * x4[g(c5)])
    output y1[r(i6: n), flat(i7: m, i8: n), i9: m] = (sum(c10: p, c11..: s..) x4[i7] * a[i9, r(i8)])
}
random! {
    exact exact_9(_ _ _ _)
    [(), N<1>, N<1>, N<1>, N<1>]
    [(N<2>,N<2>,), N<3>, N<5>, N<2>, N<15>]
    [(N<39>,), N<2>, N<1>, N<3>, N<2>]
    concat!(
    "contract exact_9 version 1", "\n",
    "dims s.., m, n, p, e", "\n",
    "map f: m -> n", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "bijection flat: m * n -> e", "\n",
    "input x1[e, m], x2[n, n, e, n], x3[n], x4[m]", "\n",
    "let a[i1: m, i2: n] = (sum(c3: n, c4: e) x1[c4, g(c3)] * x2[r(c3), f(g(i2)), c4, f(i1)])", "\n",
    "output y0 = (sum(c5: n) x3[c5] * x4[g(c5)])", "\n",
    "output y1[r(i6: n), flat(i7: m, i8: n), i9: m] = (sum(c10: p, c11..: s..) x4[i7] * a[i9, r(i8)])"
    )
}

contract! {
    contract real_0 version 1
    dims m, n, p, q, k, e
    partial map g: n -> m
    bijection r: n -> n
    split lo: p, hi: q -> k
    input x1[p, k, k, p], x2[k], x3[p, e, k, k], x4[k, e, k]
    output y0[i1: p, lo(i2: p), i3: p] = (sum(c4: k) x1[i2, c4, lo(i1), i3] * x2[c4] * x2[c4])
    output y0[i5: p, hi(i6: q), i7: p] = (sum(c8: p, c9: e) x3[c8, c9, lo(i5), hi(i6)] * x4[lo(c8), c9, lo(i7)] * x1[i7, lo(i7), lo(i7), i5])
    output y1[i10: p, r(i11: n)] = (sum(c12: n) x1[i10, lo(i10), lo(i10), i10] * x1[i10, lo(i10), lo(i10), i10] * x1[i10, lo(i10), lo(i10), i10])
}
random! {
    real real_0(_ _)
    [N<1>, N<1>, N<1>, N<1>, N<2>, N<1>]
    [N<2>, N<3>, N<5>, N<2>, N<7>, N<7>]
    [N<1>, N<43>, N<2>, N<1>, N<3>, N<3>]
    concat!(
    "contract real_0 version 1", "\n",
    "dims m, n, p, q, k, e", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[p, k, k, p], x2[k], x3[p, e, k, k], x4[k, e, k]", "\n",
    "output y0[i1: p, lo(i2: p), i3: p] = (sum(c4: k) x1[i2, c4, lo(i1), i3] * x2[c4] * x2[c4])", "\n",
    "output y0[i5: p, hi(i6: q), i7: p] = (sum(c8: p, c9: e) x3[c8, c9, lo(i5), hi(i6)] * x4[lo(c8), c9, lo(i7)] * x1[i7, lo(i7), lo(i7), i5])", "\n",
    "output y1[i10: p, r(i11: n)] = (sum(c12: n) x1[i10, lo(i10), lo(i10), i10] * x1[i10, lo(i10), lo(i10), i10] * x1[i10, lo(i10), lo(i10), i10])"
    )
}

contract! {
    contract real_1 version 1
    dims m, n, p, q, k
    map f: m -> n
    partial map g: n -> m
    bijection r: n -> n
    split lo: p, hi: q -> k
    input x1[n, k, m, m], x2[p, n], x3, x4[m]
    let a[i1: m, i2: n] = (sum(c3: p, c4: n) x1[f(g(c4)), lo(c3), i1, g(i2)] * x2[c3, c4])
    output y0[i5: q] = (x3) / (1 + (x3)^2)
    output y1 = (sum(c6: n) x4[g(r(c6))] * x4[g(r(c6))])
}
random! {
    real real_1(_ _ _)
    [N<1>, N<1>, N<1>, N<1>, N<2>]
    [N<3>, N<5>, N<2>, N<7>, N<9>]
    [N<41>, N<1>, N<3>, N<1>, N<4>]
    concat!(
    "contract real_1 version 1", "\n",
    "dims m, n, p, q, k", "\n",
    "map f: m -> n", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[n, k, m, m], x2[p, n], x3, x4[m]", "\n",
    "let a[i1: m, i2: n] = (sum(c3: p, c4: n) x1[f(g(c4)), lo(c3), i1, g(i2)] * x2[c3, c4])", "\n",
    "output y0[i5: q] = (x3) / (1 + (x3)^2)", "\n",
    "output y1 = (sum(c6: n) x4[g(r(c6))] * x4[g(r(c6))])"
    )
}

contract! {
    contract real_5 version 1
    dims m, n, p, q, k, e
    map f: m -> n
    partial map g: n -> m
    bijection r: n -> n
    bijection flat: m * n -> e
    split lo: p, hi: q -> k
    input x1[n], x2[k, n, k], x3[q], x4[p, k, k]
    let a[i1: k, i2: q] = (sum(c3: n) x1[r(r(c3))] * x2[i1, r(c3), hi(i2)])
    output y0[i4: k, i5: p] = (sum(c6: q) x3[c6] * x4[i5, i4, hi(c6)])
    output y1[flat(i7: m, i8: n), i9: m, i10: e] = (sum(c11: p, c12: n) x1[f(i9)] * x1[r(i8)])
}
random! {
    real real_5(_ _ _ _)
    [N<1>, N<1>, N<1>, N<1>, N<2>, N<1>]
    [N<2>, N<3>, N<5>, N<2>, N<7>, N<6>]
    [N<1>, N<1>, N<2>, N<37>, N<39>, N<1>]
    concat!(
    "contract real_5 version 1", "\n",
    "dims m, n, p, q, k, e", "\n",
    "map f: m -> n", "\n",
    "partial map g: n -> m", "\n",
    "bijection r: n -> n", "\n",
    "bijection flat: m * n -> e", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[n], x2[k, n, k], x3[q], x4[p, k, k]", "\n",
    "let a[i1: k, i2: q] = (sum(c3: n) x1[r(r(c3))] * x2[i1, r(c3), hi(i2)])", "\n",
    "output y0[i4: k, i5: p] = (sum(c6: q) x3[c6] * x4[i5, i4, hi(c6)])", "\n",
    "output y1[flat(i7: m, i8: n), i9: m, i10: e] = (sum(c11: p, c12: n) x1[f(i9)] * x1[r(i8)])"
    )
}

contract! {
    contract real_9 version 1
    dims m, n, p, q, k, e
    map f: m -> n
    bijection flat: m * n -> e
    split lo: p, hi: q -> k
    input x1[n], x2[m], x3[q, k], x4[k, k, e]
    let a = (sum(c1: m) x1[f(c1)] * x2[c1] * x1[f(c1)])
    output y0[flat(i2: m, i3: n), i4: m] = (sum(c5: k, c6: q) x3[c6, c5] * x4[hi(c6), c5, flat(i2, i3)])
}
random! {
    real real_9(_ _)
    [N<1>, N<1>, N<1>, N<1>, N<2>, N<1>]
    [N<2>, N<3>, N<5>, N<2>, N<7>, N<6>]
    [N<1>, N<1>, N<1>, N<43>, N<44>, N<1>]
    concat!(
    "contract real_9 version 1", "\n",
    "dims m, n, p, q, k, e", "\n",
    "map f: m -> n", "\n",
    "bijection flat: m * n -> e", "\n",
    "split lo: p, hi: q -> k", "\n",
    "input x1[n], x2[m], x3[q, k], x4[k, k, e]", "\n",
    "let a = (sum(c1: m) x1[f(c1)] * x2[c1] * x1[f(c1)])", "\n",
    "output y0[flat(i2: m, i3: n), i4: m] = (sum(c5: k, c6: q) x3[c6, c5] * x4[hi(c6), c5, flat(i2, i3)])"
    )
}
