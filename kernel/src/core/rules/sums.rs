//! Finite sums.

use super::*;

fn dims(names: &[Name]) -> Vec<Dimension> {
    names.iter().map(|w| w.dimension).collect()
}

rules! {
    /// The sum of a sum is the sum of the sums.
    fn sum_add(core, t, v: Name, a: Term, b: Term) {
        Ok(Claim::Eq(t.sum(v, t.add(a, b)), t.add(t.sum(v, a), t.sum(v, b))))
    }

    /// A factor that does not mention the index comes out of a sum.
    fn sum_scale(core, t, v: Name, c: Term, f: Term) {
        must(!t.has_free(v, c), "the factor does not mention the index")?;
        Ok(Claim::Eq(t.sum(v, t.mul(c, f)), t.mul(c, t.sum(v, f))))
    }

    /// The sum of ones is the size.
    fn sum_size(core, t, v: Name) { Ok(Claim::Eq(t.sum(v, t.num(1)), t.size(v.dimension))) }

    /// Two finite sums may change places.
    fn sum_swap(core, t, v: Name, w: Name, f: Term) { Ok(Claim::Eq(t.sum(v, t.sum(w, f)), t.sum(w, t.sum(v, f)))) }

    /// A sum over an index that is equal to a term is its value there, if the term is defined.
    ///
    /// The term is of the index's dimension, so that the sum meets it, and does not mention the index.
    fn sum_delta(core, t, v: Name, a: Index, f: Term) {
        must(t.has_dims(a, &[v.dimension]), "the index term is of the name's dimension")?;
        must(!t.has_free(v, a), "the index term does not mention the name")?;
        let sum = t.sum(v, t.mul(t.delta(t.free(v), a), f));
        Ok(Claim::Eq(sum, t.mul(t.def(a), t.substitute(v, a, f))))
    }

    /// A sum over a dimension is the sum of the sums over its parts.
    fn sum_split(core, t, v: Name, ws: Vec<Name>, f: Term) {
        let parts = core.split(v.dimension).ok_or(Why::Condition("the dimension is split"))?;
        let fits = |(w, p): (&Name, &Map)| core.map_of(*p).is_ok_and(|m| m.from == [w.dimension]);
        must(ws.len() == parts.len() && ws.iter().zip(parts).all(fits), "the names are of the parts' dimensions")?;
        must(ws.iter().all(|w| !t.has_free(*w, f)), "the body does not mention the names")?;
        let part = |(w, p): (&Name, &Map)| t.sum(*w, t.substitute(v, t.map(*p, t.free(*w)), f));
        let sums = ws.iter().zip(parts).rev().map(part).fold(t.num(0), |rest, sum| t.add(sum, rest));
        Ok(Claim::Eq(t.sum(v, f), sums))
    }

    /// A sum over the target of a bijection is a sum over its arguments.
    fn sum_reindex(core, t, v: Name, ws: Vec<Name>, m: Map, f: Term) {
        let (map, _) = core.inverse(m)?;
        must(map.from == dims(&ws), "the names are of the bijection's arguments")?;
        must(map.to == [v.dimension], "the index is of the bijection's value")?;
        must((0..ws.len()).all(|k| !ws[..k].contains(&ws[k])), "the names are distinct")?;
        must(ws.iter().all(|w| !t.has_free(*w, f)), "the body does not mention the names")?;
        Ok(Claim::Eq(t.sum(v, f), t.sums(&ws, t.substitute(v, t.map(m, t.names(&ws)), f))))
    }
}
