//! Statements that the macros' tests draw, among items of the same names; `macros/src/contract/tests.rs` writes this file.

use pullback::contract;

use super::nasty::nasty;

mod drawn_0 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_0 version 1
        dims gen, Self, STATEMENT, PARAM0
        split Self1: gen, r119: PARAM0, new: Self, Num: gen -> STATEMENT
        input Err11[STATEMENT], value[gen, PARAM0, Self]
        constant lane[STATEMENT, PARAM0]
        output T13[crate: Self, k19: gen] = (sum(fn4: STATEMENT, r1: PARAM0) tanh(lane[fn4, r1])) + (sum(of11: STATEMENT, T12: PARAM0) tanh(lane[of11, T12]^2)) + (sum(x6: STATEMENT) tanh(Err11[x6]))
    }
}

mod drawn_1 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_1 version 1
        dims dyn15, Some
        param T10
        input m1
        output Self[CHECK0: Some, Num: Some] = tanh(m1) + T10 * m1
        output const = T10 * tanh(m1) + T10 * m1
        output Err = T10 * tanh(m1) + T10 * m1^2 + tanh(m1^2)
        output struct[Clone18: Some, of: Some] = m1 + m1^2
        output fn = m1^2
        output k16[bool: dyn15] = m1
        output __18 = T10 * m1^2 + T10 * m1^2
        output clone[match: Some, Clone: dyn15] = tanh(m1^2) + T10 * m1^2
        output start[i0: Some] = T10 * tanh(m1) + T10 * m1
        output k1[q0: Some, ref11: dyn15] = m1 + T10 * tanh(m1) + m1^2
        output new[STATEMENT17: Some, box: Some] = T10 * m1^2
        output self[crate6: Some] = m1 + tanh(m1)
    }
}

mod drawn_2 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_2 version 1
        dims usize16, CHECK02, k1
        bijection of: CHECK02 -> usize16
        input Some, usize, _x[CHECK02]
        output gen19[self18: usize16, value: CHECK02] = usize^2
        output Self[unsafe9: k1, fn: CHECK02] = tanh(_x[fn])
        output type16[T19: k1] = (sum(self: CHECK02) _x[self])
        output Err16 = (sum(const: CHECK02) _x[const])
    }
}

mod drawn_3 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_3 version 1
        dims Some7, crate..
        partial map new10: Some7 -> crate..
        param t011 > 0
        input Self[Some7, crate.., crate..], _x[Some7, crate.., Some7], W7, k1, dyn[Some7], t0[crate.., crate.., Some7]
        output async[start1: Some7, whole..: crate..] = dyn[start1] + t011 * t0[whole.., whole.., start1]
        output value[Err..: crate.., try: Some7] = t011 * tanh(Self[try, new10(try), new10(try)])
    }
}

mod drawn_4 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_4 version 1
        dims Self2, try, usize
        map pub4: usize -> try
        param type != 0
        input struct6[try], Self[usize], Num11[Self2, Self2], Ok17[Self2], seed, None[usize, usize], __[Self2, try, usize], new[Self2, try, usize], u128, unsafe[try, try], static, STATEMENT[Self2, try], crate, CHECK0[Self2, Self2, Self2]
        output dyn4[m115: Self2] = Num11[m115, m115] + Num11[m115, m115]
    }
}

mod drawn_5 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_5 version 1
        dims Self, str.., type0
        input size_n16[type0], Vec7[str.., type0, str..], pub17[str.., str.., str..]
        constant k1
        output T1[m1: Self] = k1^2 + k1^2
    }
}

mod drawn_6 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_6 version 1
        dims STATEMENT8
        partial map lane17: STATEMENT8 -> STATEMENT8
        input None, q0[STATEMENT8]
        output gen = (sum(start10: STATEMENT8) q0[lane17(start10)]) + (sum(start: STATEMENT8) q0[lane17(start)]^2)
    }
}

mod drawn_7 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_7 version 1
        dims Vec3, super, static4
        param str != 0
        input crate15[Vec3]
        output f32 = (sum(type: Vec3) crate15[type])
        output clone6 = str * (sum(bool16: Vec3) crate15[bool16]^2) + str * (sum(dyn: Vec3) crate15[dyn]^2)
        output pub3[_x13: Vec3] = str * crate15[_x13]^2 + str * crate15[_x13] + crate15[_x13]
        output use17 = str * (sum(m1: Vec3) crate15[m1]) + (sum(clone14: Vec3) crate15[clone14]^2)
        output type3 = (sum(match: Vec3) tanh(crate15[match]^2))
        output PARAM07[box: static4] = str * (sum(i0: Vec3) crate15[i0]) + str * (sum(residual: Vec3) tanh(crate15[residual]))
        output fn16[of: Vec3] = crate15[of] + str * crate15[of]^2 + str * crate15[of]^2
        output W[gen11: static4, Vec: super] = (sum(b1: Vec3) crate15[b1]^2) + str * (sum(super15: Vec3) tanh(crate15[super15]^2)) + (sum(r1: Vec3) crate15[r1]^2)
        output b18 = str * (sum(Num12: Vec3) crate15[Num12]) + str * (sum(whole: Vec3) tanh(crate15[whole]))
        output self_ = (sum(new: Vec3) tanh(crate15[new]^2)) + str * (sum(ref: Vec3) crate15[ref]^2) + (sum(u128: Vec3) crate15[u128]^2)
        output Num13 = (sum(STATEMENT8: Vec3) crate15[STATEMENT8]^2) + (sum(_x: Vec3) crate15[_x])
        output value = (sum(bool: Vec3) crate15[bool]^2) + (sum(unsafe13: Vec3) tanh(crate15[unsafe13]^2))
        output static[STATEMENT: super, Clone: static4] = str * (sum(mut: Vec3) crate15[mut]) + (sum(CHECK0: Vec3) crate15[CHECK0]^2) + str * (sum(None18: Vec3) crate15[None18])
    }
}

mod drawn_8 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_8 version 1
        dims const, Self.., x15..
        split r1: Self.., dyn0: x15.., Ok: x15.., lane: x15.. -> const
        input u128[Self..], whole
        constant start
        output CHECK08 = (sum(CHECK017..: Self..) u128[CHECK017..]^2)
        output fn1[PARAM07..: Self..] = start^2
        output self_ = start
    }
}

mod drawn_9 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_9 version 1
        dims self_4
        input _x12[self_4], m119[self_4, self_4]
        output str2[f32: self_4, CHECK014: self_4] = m119[f32, f32]^2 + m119[CHECK014, f32]^2
        output x[self_: self_4, value: self_4] = m119[self_, self_] + m119[value, value]
    }
}

mod drawn_10 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_10 version 1
        dims static, super
        partial map new: static -> static
        split async: super -> static
        input clone16[static, static], match
        constant Some15[static]
        output Some[match8: static] = (sum(self: super) Some15[async(self)]) + tanh(match^2)
        output i0 = (sum(None15: super) tanh(Some15[async(None15)])) + (sum(start: super, dyn: static) tanh(clone16[async(start), dyn])) + (sum(Vec0: static) Some15[new(Vec0)])
    }
}

mod drawn_11 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_11 version 1
        dims Clone0, match..
        partial map Some: Clone0 -> match..
        param PARAM0 > 0
        input crate[Clone0, match..]
        output clone1[whole: Clone0, __: Clone0] = PARAM0 * (sum(Self9..: match..) tanh(crate[__, Self9..]))
    }
}

mod drawn_12 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_12 version 1
        dims u128, _x.., num
        param use != 0
        input PARAM0[num], value[_x.., u128], m1, match
        output usize[Ok15: u128] = m1 + use * (sum(str: num) PARAM0[str]^2) + (sum(seed12..: _x..) value[seed12.., Ok15]^2)
        output pub = match^2
    }
}

mod drawn_13 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_13 version 1
        dims Some7, u128, start
        map dyn: Some7 -> start
        param gen17 > 0
        input pub0
        output t0 = pub0
        output new[bool: u128] = pub0
    }
}

mod drawn_14 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_14 version 1
        dims clone14, x, W17
        bijection lane16: W17 -> x
        split None: x, use: W17, clone18: x, fn: x, k110: x, Num: W17, self_: x -> clone14
        input W12[clone14, W17], residual[clone14, W17, clone14], str[W17], lane[x], box5, i0[x, clone14], whole[x, W17, W17], size_n12, start8[W17, x], num[clone14, x], __[W17, W17], crate[W17]
        output str5 = (sum(u128: clone14, T6: W17) residual[u128, T6, use(T6)]^2) + size_n12 + (sum(new8: W17) __[new8, new8])
    }
}

mod drawn_15 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_15 version 1
        dims static, mut..
        bijection Err15: static -> mut..
        split CHECK0: mut.., Some16: mut.., k1: mut.., bool0: mut.., struct: mut.., Self6: mut.. -> static
        param Ok
        input Err, Clone, __0[static], unsafe13, W12, residual[mut..], u128[static, static], use[mut.., mut.., mut..], STATEMENT6[mut.., static, mut..], gen[mut..]
        output STATEMENT[__..: mut..] = gen[__..]^2 + Ok * tanh(unsafe13)
        output seed[_x..: mut..] = Ok * (sum(str: static) gen[Err15(str)])
    }
}

mod drawn_16 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_16 version 1
        dims whole
        input i05, str5
        constant Clone
        output new[b0: whole] = i05 + str5 + str5^2
    }
}

mod drawn_17 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_17 version 1
        dims struct, size_n, start, match6
        split u128: size_n, str15: size_n, b1: match6, CHECK0: match6, residual: match6, value3: struct, Clone: match6, whole12: size_n, Num17: match6 -> start
        param value14 >= 0
        input q0, x12[start, struct]
        output usize3[i01: size_n, self9: start] = tanh(q0^2) + value14 * (sum(Self: struct) x12[self9, Self])
    }
}

mod drawn_18 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_18 version 1
        dims seed, None1, async
        param ref10 != 0
        input m1[None1, async], b01[None1, seed]
        output None[unsafe6: seed] = (sum(i0: None1, of: async) m1[i0, of]^2) + (sum(try0: None1, size_n: async) m1[try0, size_n]) + (sum(k13: None1, whole: async) m1[k13, whole]^2)
    }
}

mod drawn_19 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_19 version 1
        dims PARAM0
        param Ok > 0
        input Self[PARAM0, PARAM0, PARAM0]
        constant of[PARAM0, PARAM0]
        output self[fn: PARAM0] = tanh(Self[fn, fn, fn]^2) + of[fn, fn] + Ok * of[fn, fn]
    }
}

mod drawn_20 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_20 version 1
        dims const
        map Vec: const -> const
        param type7 != 0
        input unsafe[const, const, const]
        output size_n3[f32: const] = type7 * unsafe[f32, Vec(f32), f32]^2 + unsafe[Vec(f32), f32, f32]^2 + type7 * unsafe[f32, f32, Vec(f32)]^2
        output type2[value: const, const17: const] = type7 * tanh(unsafe[value, Vec(const17), value]) + type7 * tanh(unsafe[Vec(const17), Vec(const17), Vec(value)]) + tanh(unsafe[value, Vec(const17), Vec(const17)])
    }
}

mod drawn_21 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_21 version 1
        dims i0, start
        param fn2 != 0
        input Ok, b0, CHECK0
        output type[f32: i0, m1: start] = b0 + fn2 * CHECK0 + fn2 * tanh(CHECK0^2)
    }
}

mod drawn_22 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_22 version 1
        dims crate, async0.., None..
        bijection dyn: crate -> async0..
        split type: None.., use: async0.., Some: None.. -> crate
        input Ok[crate, crate]
        output self17 = (sum(Clone16: crate) tanh(Ok[Clone16, Clone16]^2)) + (sum(const..: None..) tanh(Ok[type(const..), Some(const..)]^2)) + (sum(Vec3..: async0.., t0..: None..) tanh(Ok[use(Vec3..), Some(t0..)]))
    }
}

mod drawn_23 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_23 version 1
        dims dyn7, W.., i0
        bijection self5: W.. -> dyn7
        input m1[i0, dyn7]
        constant STATEMENT[i0, W..]
        output i01[struct..: W..] = (sum(match: i0) m1[match, self5(struct..)]^2) + (sum(pub0: i0) tanh(m1[pub0, self5(struct..)]^2))
        output str16[fn: i0] = (sum(u12814..: W..) STATEMENT[fn, u12814..]^2) + (sum(k1: dyn7) m1[fn, k1]^2) + (sum(new..: W..) STATEMENT[fn, new..]^2)
    }
}

mod drawn_24 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_24 version 1
        dims of15
        partial map W: of15 -> of15
        param crate3 > 0
        input _x[of15, of15, of15]
        output STATEMENT[new4: of15] = crate3 * tanh(_x[W(new4), W(new4), new4]) + crate3 * _x[new4, new4, new4]^2
        output f32[super: of15, __: of15] = _x[__, super, __]^2 + crate3 * tanh(_x[__, super, W(__)]) + crate3 * _x[__, __, super]
        output size_n19 = (sum(self_16: of15) _x[W(self_16), W(self_16), W(self_16)]) + crate3 * (sum(num4: of15) _x[num4, num4, W(num4)])
        output type[seed: of15] = _x[W(seed), seed, W(seed)] + _x[W(seed), seed, W(seed)]^2
        output Vec[of10: of15] = crate3 * _x[of10, W(of10), of10]^2 + _x[W(of10), W(of10), of10]
        output b03[fn: of15, dyn16: of15] = _x[W(fn), fn, fn]^2 + crate3 * tanh(_x[dyn16, W(fn), W(fn)]) + tanh(_x[dyn16, fn, dyn16])
        output t00[i017: of15, T: of15] = tanh(_x[W(T), T, i017]^2) + _x[W(T), i017, W(T)]^2
        output match[box: of15] = tanh(_x[W(box), box, box]) + crate3 * _x[box, W(box), box]^2
        output t0[Ok: of15] = crate3 * tanh(_x[Ok, Ok, W(Ok)]) + crate3 * _x[Ok, Ok, Ok]^2 + _x[Ok, W(Ok), Ok]
        output clone = (sum(const: of15) _x[W(const), W(const), const]) + crate3 * (sum(x: of15) _x[W(x), x, W(x)]^2)
        output mut10[async: of15] = crate3 * tanh(_x[W(async), W(async), async]) + crate3 * _x[W(async), W(async), W(async)]
        output residual1[pub18: of15] = crate3 * _x[pub18, pub18, pub18]^2 + crate3 * _x[pub18, W(pub18), W(pub18)]
        output unsafe[i0: of15] = _x[W(i0), W(i0), W(i0)]^2
    }
}

mod drawn_25 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_25 version 1
        dims None, CHECK019
        split b14: CHECK019, start9: CHECK019, u1285: CHECK019 -> None
        input const[CHECK019, CHECK019, CHECK019], mut[CHECK019, CHECK019]
        constant match
        output whole[PARAM0: None] = match^2 + (sum(seed16: CHECK019) mut[seed16, seed16]^2)
        output PARAM05 = (sum(self: CHECK019) tanh(mut[self, self]^2))
    }
}

mod drawn_26 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_26 version 1
        dims u128, ref.., use1..
        map None18: ref.. -> u128
        split size_n: ref.. -> use1..
        input b1[use1.., u128], self9[u128, u128], b010[u128, use1..]
        constant Self[u128]
        output gen[bool..: use1.., self_: u128] = tanh(b1[bool.., self_])
        output _x12 = (sum(num: u128, of13..: ref..) tanh(b010[num, size_n(of13..)])) + (sum(whole1..: ref.., x: u128) self9[None18(whole1..), x]^2)
    }
}

mod drawn_27 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_27 version 1
        dims b0, value.., W
        map residual19: value.. -> W
        input r12, str12[W, W]
        constant Vec[b0]
        output q0 = r12^2
        output super[r1: W] = (sum(b013..: value..) str12[residual19(b013..), residual19(b013..)]) + (sum(None: b0) tanh(Vec[None])) + r12
    }
}

mod drawn_28 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_28 version 1
        dims usize
        map super: usize -> usize
        input match[usize, usize]
        output Some9[u12818: usize] = match[super(u12818), u12818]
    }
}

mod drawn_29 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_29 version 1
        dims self_
        param num
        input ref[self_, self_]
        output dyn = num * (sum(t0: self_) ref[t0, t0]) + (sum(static: self_) ref[static, static]^2)
    }
}

mod drawn_30 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_30 version 1
        dims seed, x.., f32..
        partial map t014: seed -> x..
        param Clone != 0
        input box, __[x..], str
        constant u12819[seed, seed]
        output Some2[unsafe12..: f32.., k16..: x..] = str + Clone * str + (sum(_x: seed) u12819[_x, _x])
        output i0[usize..: f32.., start: seed] = __[t014(start)]^2
        output new[self14..: f32.., Num15..: x..] = Clone * tanh(__[Num15..]) + box + Clone * (sum(r14: seed) __[t014(r14)])
    }
}

mod drawn_31 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_31 version 1
        dims r1, STATEMENT, Vec14
        split type: Vec14 -> r1
        input seed[Vec14, STATEMENT], None[r1, STATEMENT]
        output Num = (sum(async3: Vec14, T0: STATEMENT) seed[async3, T0]) + (sum(struct: Vec14, k12: STATEMENT) seed[struct, k12])
        output PARAM0 = (sum(new: Vec14, of: STATEMENT) seed[new, of]^2) + (sum(dyn: r1, k1: STATEMENT) None[dyn, k1]^2) + (sum(mut17: r1, Ok8: STATEMENT) None[mut17, Ok8]^2)
    }
}

mod drawn_32 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_32 version 1
        dims num, use1..
        input crate13[use1..], T[num, num, use1..], start9[num, num, use1..]
        output try[bool..: use1..] = tanh(crate13[bool..])
        output Clone[m1: num, x..: use1..] = tanh(T[m1, m1, x..])
    }
}

mod drawn_33 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_33 version 1
        dims t0
        partial map u128: t0 -> t0
        param Some > 0
        input bool[t0], STATEMENT6[t0, t0, t0]
        output bool0[match: t0, Ok: t0] = bool[u128(match)]^2 + Some * bool[u128(match)]^2
    }
}

mod drawn_34 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_34 version 1
        dims T, dyn
        bijection q011: T -> T
        split q08: T, str13: T, lane: T, residual1: T, super: T, box: T, whole: T -> dyn
        input gen4[T, dyn], Err, use0[dyn, T, T], Some[dyn, dyn], dyn3[dyn], Err1[dyn], STATEMENT[dyn, dyn, T], crate[dyn, T], pub[T, T, T], r19[T, dyn], fn16[dyn, dyn, T], STATEMENT13[T], seed11[T], i012[T, dyn, dyn], r118[T, T]
        output Self = (sum(ref0: T) gen4[ref0, box(ref0)]) + (sum(num: T) Err1[lane(num)]^2) + (sum(x2: T, self: dyn) gen4[q011(x2), self])
        output r1[box16: T] = Some[residual1(box16), residual1(box16)]^2
    }
}

mod drawn_35 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_35 version 1
        dims b0, str15, STATEMENT11, k1..
        param CHECK0 != 0
        input CHECK014[b0, STATEMENT11, STATEMENT11]
        constant Num[b0, str15]
        output try[Ok: STATEMENT11, None18: str15] = CHECK0 * (sum(STATEMENT: b0) CHECK014[STATEMENT, Ok, Ok]^2) + (sum(str: b0) CHECK014[str, Ok, Ok])
        output crate[new..: k1.., None: STATEMENT11] = CHECK0 * (sum(__: b0, u128: str15) Num[__, u128]^2) + CHECK0 * (sum(match: b0) CHECK014[match, None, None]) + CHECK0 * (sum(ref: b0) CHECK014[ref, None, None]^2)
        output self[W11: b0] = CHECK0 * (sum(f32: str15) Num[W11, f32]^2)
        output whole[Err: str15, Some: str15] = CHECK0 * (sum(pub: b0) Num[pub, Some])
        output i0 = (sum(gen: b0, W0: str15) Num[gen, W0]) + CHECK0 * (sum(start: b0, type14: STATEMENT11) CHECK014[start, type14, type14]) + (sum(dyn10: b0, size_n: str15) Num[dyn10, size_n])
        output ref11 = (sum(box9: b0, Self0: STATEMENT11) tanh(CHECK014[box9, Self0, Self0])) + (sum(async: b0, r1: str15) Num[async, r1]) + (sum(q0: b0, const: str15) Num[q0, const]^2)
        output W10[x18: STATEMENT11] = (sum(dyn: b0) CHECK014[dyn, x18, x18]) + CHECK0 * (sum(T: b0) tanh(CHECK014[T, x18, x18]^2))
        output whole1 = (sum(mut: b0, residual: str15) Num[mut, residual]^2)
        output b06[clone13: str15] = (sum(fn: b0) Num[fn, clone13]^2) + (sum(of: b0) Num[of, clone13])
        output self_[use: str15, Vec..: k1..] = CHECK0 * (sum(t016: b0) Num[t016, use]) + CHECK0 * (sum(value4: b0) Num[value4, use]^2)
    }
}

mod drawn_36 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_36 version 1
        dims T, W, async
        partial map u12817: W -> async
        split pub: async, __: async, clone: async, self17: async, super1: W, fn: async, t0: async -> T
        param CHECK0
        input r1, x[async, T], ref[async, async]
        constant CHECK05
        output f32 = CHECK0 * (sum(Num: async) tanh(ref[Num, Num]^2)) + r1 + CHECK05^2
        output None[const6: W] = CHECK0 * r1 + CHECK0 * CHECK05^2 + CHECK05^2
    }
}

mod drawn_37 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_37 version 1
        dims Ok5, box.., super.., m116..
        split self: m116.., PARAM0: box.., None2: m116.. -> super..
        param static15 >= 0
        input async[Ok5, Ok5, m116..]
        output new = static15 * (sum(self1: Ok5, crate..: m116..) async[self1, self1, crate..]) + static15 * (sum(str: Ok5, Err4..: m116..) async[str, str, Err4..]) + static15 * (sum(lane5: Ok5, seed11..: m116..) async[lane5, lane5, seed11..]^2)
    }
}

mod drawn_38 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_38 version 1
        dims crate
        input str13, size_n18[crate, crate], box16[crate]
        output struct[u12819: crate] = size_n18[u12819, u12819] + box16[u12819] + tanh(str13^2)
        output type[b1: crate] = tanh(size_n18[b1, b1]^2)
    }
}

mod drawn_39 {
    use super::*;
    nasty!();
    contract! {
        contract drawn_39 version 1
        dims None1
        partial map Ok8: None1 -> None1
        input Clone[None1, None1, None1]
        output b0 = (sum(f32: None1) tanh(Clone[f32, f32, f32]))
        output __18[t011: None1] = Clone[t011, Ok8(t011), t011]^2 + Clone[t011, Ok8(t011), t011] + Clone[t011, t011, Ok8(t011)]
    }
}
