//! Index terms, their equality, and where they are defined.

use super::*;

impl Core {
    fn is_part(&self, d: Dimension, p: Map) -> bool {
        self.split(d).is_some_and(|parts| parts.contains(&p))
    }
    fn is_injective(&self, m: Map) -> bool {
        self.map_of(m).is_ok_and(|map| map.inverse.is_some() || matches!(map.to[..], [d] if self.is_part(d, m)))
    }
    fn at_arguments(&self, m: Map, a: Index) -> Result<(), Why> {
        must(self.terms.has_dims(a, &self.map_of(m)?.from), "the index term is of the map's arguments")
    }
}

rules! {
    /// Index terms that are the same may stand for each other in a term.
    fn replace(core, t, v: Name, f: Term, p: Proven) {
        let (a, b) = core.same_closed(p)?;
        Ok(Claim::Eq(t.substitute(v, a, f), t.substitute(v, b, f)))
    }

    /// Index terms that are the same may stand for each other in an index term.
    fn replace_index(core, t, v: Name, c: Index, p: Proven) {
        let (a, b) = core.same_closed(p)?;
        Ok(Claim::Same(t.substitute(v, a, c), t.substitute(v, b, c)))
    }

    /// Each index term is the same as itself.
    fn same_refl(core, t, a: Index) { Ok(Claim::Same(a, a)) }

    /// To be the same goes both ways.
    fn same_sym(core, t, p: Proven) {
        let (a, b) = core.same(p)?;
        Ok(Claim::Same(b, a))
    }

    /// To be the same goes through an index term between.
    fn same_trans(core, t, p: Proven, q: Proven) {
        let ((a, b), (c, d)) = (core.same(p)?, core.same(q)?);
        must(b == c, "the first ends where the second begins")?;
        Ok(Claim::Same(a, d))
    }

    /// The inverse of a bijection undoes it, at its arguments.
    fn inverse_map(core, t, m: Map, a: Index) {
        let (map, inverse) = core.inverse(m)?;
        must(t.has_dims(a, &map.from), "the index term is of the map's arguments")?;
        Ok(Claim::Same(t.map(inverse, t.map(m, a)), a))
    }

    /// A bijection undoes its inverse, at its values.
    fn map_inverse(core, t, m: Map, a: Index) {
        let (map, inverse) = core.inverse(m)?;
        must(t.has_dims(a, &map.to), "the index term is of the map's value")?;
        Ok(Claim::Same(t.map(m, t.map(inverse, a)), a))
    }

    /// A name is a tuple of one component.
    fn same_eta(core, t, v: Name) {
        let free = t.free(v);
        Ok(Claim::Same(t.proj(0, free), free))
    }

    /// A component of a pair is one of its sides: the other is defined, or the pair would not be.
    fn same_pair(core, t, k: u32, a: Index, b: Index) {
        let (Some(left), Some(_)) = (t.dims(a), t.dims(b)) else {
            return Err(Why::Condition("both sides are typed"));
        };
        must(t.is_total(a) && t.is_total(b), "both sides are defined everywhere")?;
        let n = left.len() as u32;
        Ok(Claim::Same(t.proj(k, t.pair(a, b)), if k < n { t.proj(k, a) } else { t.proj(k - n, b) }))
    }

    /// The empty tuple adds nothing. Not in the model yet: a list and the empty list after it are that list.
    fn same_unit(core, t, a: Index) { Ok(Claim::Same(t.pair(a, t.unit()), a)) }

    /// A tuple is that of its components. Not in the model yet.
    ///
    /// A typed tuple has as many components as dimensions, and is undefined where its first component is. The empty one has none.
    fn same_tuple(core, t, a: Index) {
        let n = t.dims(a).map_or(0, |dims| dims.len() as u32);
        must(n > 0, "the index term is typed and has a component")?;
        Ok(Claim::Same(t.tuple(&(0..n).map(|k| t.proj(k, a)).collect::<Vec<_>>()), a))
    }

    /// Where two closed index terms are equal, one may stand for the other.
    fn equal_substitute(core, t, a: Index, b: Index, v: Name, f: Term) {
        must(t.is_closed(a) && t.is_closed(b), "the two index terms are closed")?;
        let at = |c: Index| t.mul(t.delta(a, b), t.substitute(v, c, f));
        Ok(Claim::Eq(at(a), at(b)))
    }

    /// Equality of indices has no order.
    fn delta_sym(core, t, a: Index, b: Index) { Ok(Claim::Eq(t.delta(a, b), t.delta(b, a))) }

    /// An index is equal to itself where it is defined.
    fn delta_refl(core, t, a: Index) { Ok(Claim::Eq(t.delta(a, a), t.def(a))) }

    /// What is equal is defined.
    fn delta_def(core, t, a: Index, b: Index) {
        let delta = t.delta(a, b);
        Ok(Claim::Eq(delta, t.mul(t.def(a), delta)))
    }

    /// A read at nothing is zero.
    fn read_def(core, t, x: Tensor, a: Index) {
        let read = t.read(x, a);
        Ok(Claim::Eq(read, t.mul(t.def(a), read)))
    }

    /// A map's value is defined only where its arguments are.
    fn def_map(core, t, m: Map, a: Index) {
        let def = t.def(t.map(m, a));
        Ok(Claim::Eq(def, t.mul(t.def(a), def)))
    }

    /// A typed index term without partial maps is defined.
    fn def_total(core, t, a: Index) {
        must(t.dims(a).is_some(), "the index term is typed")?;
        must(t.is_total(a), "the index term is defined everywhere")?;
        Ok(Claim::Eq(t.def(a), t.num(1)))
    }

    /// A pair is defined where both sides are.
    fn def_pair(core, t, a: Index, b: Index) { Ok(Claim::Eq(t.def(t.pair(a, b)), t.mul(t.def(a), t.def(b)))) }

    /// Pairs are equal where both sides are, if the left ones have one length.
    fn delta_pair(core, t, a: Index, b: Index, c: Index, d: Index) {
        let left = t.dims(a);
        must(left.is_some() && left == t.dims(c), "the left sides are of the same dimensions")?;
        Ok(Claim::Eq(t.delta(t.pair(a, b), t.pair(c, d)), t.mul(t.delta(a, c), t.delta(b, d))))
    }

    /// A bijection or part of a split has equal values at equal arguments only.
    fn delta_injective(core, t, m: Map, a: Index, b: Index) {
        must(core.is_injective(m), "the map is a bijection or a part of a split")?;
        core.at_arguments(m, a)?;
        core.at_arguments(m, b)?;
        Ok(Claim::Eq(t.delta(t.map(m, a), t.map(m, b)), t.delta(a, b)))
    }

    /// Two parts of one split do not meet.
    fn delta_apart(core, t, d: Dimension, p: Map, q: Map, a: Index, b: Index) {
        must(core.is_part(d, p) && core.is_part(d, q), "both maps are parts of the dimension")?;
        must(p != q, "the parts are different")?;
        core.at_arguments(p, a)?;
        core.at_arguments(q, b)?;
        Ok(Claim::Eq(t.delta(t.map(p, a), t.map(q, b)), t.num(0)))
    }
}
