//! From a routine to a nest: sizes, maps and parameters become numbers.
//!
//! * A loop over an axis of length one is no loop; a product of one by one matrices is a multiplication.
//! * A map that is affine over the loops it stands in (an offset, a stride, a reversal) becomes factors of counters.
//! * A map of a map becomes one table.

use std::collections::HashMap;
use std::sync::Arc;

use pullback_kernel::statement::{Comparison, DimId, MapId, Statement};
use pullback_kernel::{Rational, nearest};
use pullback_scalar::Real;
use pullback_schedule::{self as schedule, Gemm, Index, Reduction, Routine, Scalar, Step};

use super::nest::{
    Affine, Binary, Condition, Expr, Lookup, Matrix, Nest, Place, Point, Product, Requirement, Stmt, Temp, Unary, Var,
};

/// An entry of a table that is undefined.
pub(crate) const UNDEFINED: u32 = u32::MAX;

/// The numbers for a routine's names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a, T> {
    /// The statement that the routine was made of.
    pub(crate) statement: &'a Statement,
    /// The size of each dimension, a pack's multiplied out.
    pub(crate) sizes: &'a [usize],
    /// The values of each map, over the product of its dimensions in row-major order.
    pub(crate) maps: &'a [&'a [Option<usize>]],
    /// The scalar parameters.
    pub(crate) params: &'a [T],
}

struct Concrete<'a, T> {
    routine: &'a Routine,
    setting: Setting<'a, T>,
    extents: Vec<usize>,
    consts: Vec<T>,
    tables: Vec<Arc<[u32]>>,
    known: HashMap<MapId, u16>,
    conditions: Vec<Condition>,
    temps: Temp,
}

/// The routine in the setting.
pub(crate) fn concrete<T: Real>(routine: &Routine, setting: Setting<'_, T>) -> Nest<T> {
    let size = |d: &DimId| setting.sizes[d.0 as usize];
    let extents = routine.vars.iter().map(|v| v.dims.iter().map(size).product()).collect();
    let mut made = Concrete {
        routine,
        setting,
        extents,
        consts: vec![],
        tables: vec![],
        known: HashMap::new(),
        conditions: vec![],
        temps: routine.temps.len() as Temp,
    };
    let body = made.steps(&routine.steps);
    Nest {
        lengths: routine.buffers.iter().map(|b| b.axes.iter().map(size).product()).collect(),
        body,
        consts: made.consts,
        tables: made.tables,
        vars: made.extents.len() as Var,
        temps: made.temps,
        conditions: made.conditions,
    }
}

/// A float in the scalar, rounded once.
pub(crate) fn float<T: Real>(x: f64) -> T {
    T::literal(x as f32, x, || Rational::from_float(x).unwrap_or_default())
}

/// A rational in the scalar, rounded once.
pub(crate) fn number<T: Real>(q: &Rational) -> T {
    T::literal(nearest::f32(q), nearest::f64(q), || q.clone())
}

/// The position of a constant, which is added if it is new.
pub(crate) fn constant<T: Real>(consts: &mut Vec<T>, value: T) -> u16 {
    let at = consts.iter().position(|c| *c == value && c.is_zero() == value.is_zero()).unwrap_or_else(|| {
        consts.push(value);
        consts.len() - 1
    });
    at as u16
}

impl<T: Real> Concrete<'_, T> {
    fn size(&self, dim: DimId) -> usize {
        self.setting.sizes[dim.0 as usize]
    }

    fn sizes(&self, dims: &[DimId]) -> Vec<usize> {
        dims.iter().map(|d| self.size(*d)).collect()
    }

    fn length(&self, buffer: schedule::BufferId) -> usize {
        self.routine.buffers[buffer.0 as usize].axes.iter().map(|d| self.size(*d)).product()
    }

    /// The first element of a buffer.
    fn start(&self, buffer: schedule::BufferId) -> Place {
        Place { buffer: buffer.0 as u16, point: Point::default(), homes: vec![] }
    }

    fn extent(&self, var: schedule::Var) -> usize {
        self.extents[var.0 as usize]
    }

    fn extent_of(&self, group: &[schedule::Var]) -> usize {
        group.iter().map(|v| self.extent(*v)).product()
    }

    // ---- places ----------------------------------------------------------------------------------------------------

    /// How many axes an index covers.
    fn covers(&self, index: &Index) -> usize {
        match index {
            Index::Var(v) => self.routine.vars[v.0 as usize].dims.len(),
            Index::First | Index::Map(..) => 1,
        }
    }

    /// For each index its first axis and its stride, in an array of these sizes.
    fn strides(&self, sizes: &[usize], at: &[Index]) -> Vec<(usize, usize)> {
        let mut axis = 0;
        at.iter()
            .map(|index| {
                let first = axis;
                axis += self.covers(index);
                (first, sizes[axis.min(sizes.len())..].iter().product())
            })
            .collect()
    }

    fn place(&mut self, buffer: schedule::BufferId, at: &[Index]) -> Place {
        let sizes = self.sizes(&self.routine.buffers[buffer.0 as usize].axes);
        let strides = self.strides(&sizes, at);
        let mut homes = vec![];
        for (index, (axis, _)) in at.iter().zip(&strides) {
            self.homes(index, *axis as u32 + 1, &mut homes);
        }
        homes.sort_unstable();
        Place { buffer: buffer.0 as u16, point: self.flat(at, &strides), homes }
    }

    fn homes(&self, index: &Index, axis: u32, homes: &mut Vec<(Var, u32)>) {
        match index {
            Index::Var(v) => homes.push((v.0 as Var, axis)),
            Index::First => {}
            Index::Map(map, args) => {
                let mut seen = std::collections::HashSet::new();
                let injective = self.setting.maps[map.0 as usize].iter().all(|t| t.is_some() && seen.insert(*t));
                if injective && args.iter().all(|a| matches!(a, Index::Var(_))) {
                    args.iter().for_each(|a| self.homes(a, axis | (map.0 + 1) << 8, homes));
                }
            }
        }
    }

    fn flat(&mut self, at: &[Index], strides: &[(usize, usize)]) -> Point {
        let mut flat = Point::default();
        for (index, (_, stride)) in at.iter().zip(strides) {
            let point = self.point(index);
            flat.add(&point, *stride as i64);
        }
        flat
    }

    /// `factor` times a variable: nothing for one that has no loop, whose counter would hold what ran before.
    fn counter(&self, var: schedule::Var, factor: i64) -> Affine {
        if self.extent(var) == 1 { Affine::default() } else { Affine::counter(var.0 as Var, factor) }
    }

    /// The position along its axis.
    fn point(&mut self, index: &Index) -> Point {
        match index {
            Index::First => Point::default(),
            Index::Var(v) => Point { affine: self.counter(*v, 1), lookups: vec![] },
            Index::Map(map, args) => {
                let strides = self.map_strides(*map, args);
                let arg = self.flat(args, &strides);
                if arg.lookups.is_empty() {
                    let table = self.table(*map);
                    self.looked_up(table, arg.affine)
                } else {
                    self.tabulated(index)
                }
            }
        }
    }

    /// The strides of a map's arguments.
    fn map_strides(&self, map: MapId, args: &[Index]) -> Vec<(usize, usize)> {
        let from = self.sizes(&self.setting.statement.maps()[map.0 as usize].from);
        self.strides(&from, args)
    }

    /// The table of a map, its undefined entries marked.
    fn table(&mut self, map: MapId) -> u16 {
        if let Some(known) = self.known.get(&map) {
            return *known;
        }
        let entry = |t: &Option<usize>| t.map_or(UNDEFINED, |t| t as u32);
        self.tables.push(self.setting.maps[map.0 as usize].iter().map(entry).collect());
        let table = self.tables.len() as u16 - 1;
        self.known.insert(map, table);
        table
    }

    /// What a table says at an affine place: affine itself, if the table is straight over the counters' ranges.
    fn looked_up(&self, table: u16, at: Affine) -> Point {
        let entries = &self.tables[table as usize];
        match self.straight(entries, &at) {
            Some(affine) => Point { affine, lookups: vec![] },
            None => {
                let partial = entries.contains(&UNDEFINED);
                Point { affine: Affine::default(), lookups: vec![Lookup { table, at, scale: 1, partial }] }
            }
        }
    }

    fn straight(&self, entries: &[u32], at: &Affine) -> Option<Affine> {
        let entry = |at: i64| entries.get(at as usize).filter(|e| **e != UNDEFINED).map(|e| i64::from(*e));
        let constant = entry(at.constant)?;
        let mut affine = Affine { constant, terms: vec![] };
        for (var, factor) in &at.terms {
            affine.terms.push((*var, entry(at.constant + factor)? - constant));
        }
        let mut counters = vec![0; at.terms.len()];
        loop {
            let sum = |terms: &[(Var, i64)]| terms.iter().zip(&counters).map(|(t, c)| t.1 * c).sum::<i64>();
            if entry(at.constant + sum(&at.terms))? != constant + sum(&affine.terms) {
                return None;
            }
            if !self.advance(&at.terms, &mut counters) {
                break;
            }
        }
        affine.terms.retain(|t| t.1 != 0);
        Some(affine)
    }

    /// The next values of the counters in row-major order; false after the last.
    fn advance(&self, terms: &[(Var, i64)], counters: &mut [i64]) -> bool {
        for (counter, (var, _)) in counters.iter_mut().zip(terms).rev() {
            *counter += 1;
            if (*counter as usize) < self.extents[*var as usize] {
                return true;
            }
            *counter = 0;
        }
        false
    }

    /// A map of maps, as one table over its variables.
    fn tabulated(&mut self, index: &Index) -> Point {
        let mut at = Affine::default();
        let mut vars = vec![];
        index.each_var(&mut |v| vars.push(v));
        vars.sort_unstable();
        vars.dedup();
        let mut stride = 1;
        for var in vars.iter().rev() {
            at.add(&self.counter(*var, stride), 1);
            stride *= self.extent(*var) as i64;
        }
        let mut counters = vec![0; at.terms.len()];
        let mut entries = vec![];
        loop {
            let env = |v: schedule::Var| {
                at.terms.iter().position(|t| t.0 == v.0 as Var).map_or(0, |at| counters[at] as usize)
            };
            entries.push(self.value_of(index, &env).map_or(UNDEFINED, |t| t as u32));
            if !self.advance(&at.terms, &mut counters) {
                break;
            }
        }
        self.tables.push(entries.into());
        self.looked_up(self.tables.len() as u16 - 1, at)
    }

    fn value_of(&self, index: &Index, env: &impl Fn(schedule::Var) -> usize) -> Option<usize> {
        match index {
            Index::First => Some(0),
            Index::Var(v) => Some(env(*v)),
            Index::Map(map, args) => {
                let mut flat = 0;
                for (arg, (_, stride)) in args.iter().zip(self.map_strides(*map, args)) {
                    flat += stride * self.value_of(arg, env)?;
                }
                self.setting.maps[map.0 as usize].get(flat).copied().flatten()
            }
        }
    }

    // ---- expressions -----------------------------------------------------------------------------------------------

    fn constant(&mut self, value: T) -> Expr {
        Expr::Const(constant(&mut self.consts, value))
    }

    fn expr(&mut self, scalar: &Scalar) -> Expr {
        let binary = |made: &mut Self, op, a: &Scalar, b: &Scalar| {
            Expr::Binary(op, Box::new(made.expr(a)), Box::new(made.expr(b)))
        };
        match scalar {
            Scalar::Number(q) => self.constant(number(q)),
            Scalar::Param(p) => self.constant(self.setting.params[p.0 as usize].clone()),
            Scalar::Size(d) => self.constant(T::from_usize(self.size(*d))),
            Scalar::Temp(t) => Expr::Temp(t.0),
            Scalar::Read(b, at) => Expr::Load(self.place(*b, at)),
            Scalar::Neg(a) => Expr::Unary(Unary::Neg, Box::new(self.expr(a))),
            Scalar::Add(a, b) => binary(self, Binary::Add, a, b),
            Scalar::Sub(a, b) => binary(self, Binary::Sub, a, b),
            Scalar::Mul(a, b) => binary(self, Binary::Mul, a, b),
            Scalar::Div(a, b) => binary(self, Binary::Div, a, b),
            Scalar::Pow(a, k) => Expr::Power(Box::new(self.expr(a)), *k),
            Scalar::Call(f, a) => Expr::Unary(Unary::Call(*f), Box::new(self.expr(a))),
            Scalar::Equal(p, q) => self.equal(p, q),
            Scalar::If { comparison, left, right, then, otherwise } => {
                let parts = [left, right, then, otherwise].map(|s| self.expr(s));
                Expr::Choose(*comparison == Comparison::Greater, Box::new(parts))
            }
        }
    }

    fn equal(&mut self, p: &Index, q: &Index) -> Expr {
        let (p, q) = (self.point(p), self.point(q));
        let fixed = |p: &Point| p.lookups.is_empty() && p.affine.terms.is_empty();
        match (fixed(&p) && fixed(&q), p == q) {
            (true, true) => self.constant(T::one()),
            (true, false) => self.constant(T::zero()),
            _ => Expr::Equal(Box::new((p, q))),
        }
    }

    // ---- steps -----------------------------------------------------------------------------------------------------

    fn steps(&mut self, steps: &[Step]) -> Vec<Stmt> {
        let mut made = vec![];
        steps.iter().for_each(|s| self.step(s, &mut made));
        made
    }

    fn step(&mut self, step: &Step, made: &mut Vec<Stmt>) {
        match step {
            Step::Loop { vars, body } => {
                let mut inner = self.steps(body);
                for var in vars.iter().rev().filter(|v| self.extent(**v) > 1) {
                    let extent = self.extent(*var);
                    inner = vec![Stmt::Loop { var: var.0 as Var, extent, lanes: false, body: inner }];
                }
                made.extend(inner);
            }
            Step::Let { temp, value } => made.push(Stmt::Let(temp.0, self.expr(value))),
            Step::Start { temp, value } => made.push(Stmt::Start(temp.0, value.as_ref().map(|v| self.expr(v)))),
            Step::Fold { temp, how, value } => made.push(Stmt::Fold(temp.0, *how, self.expr(value))),
            Step::Set { target, at, value } => made.push(Stmt::Set(self.place(*target, at), self.expr(value))),
            Step::Add { target, at, value } => made.push(Stmt::Add(self.place(*target, at), self.expr(value))),
            Step::Check(check) => {
                let at: Vec<Index> = check.vars.iter().map(|v| Index::Var(*v)).collect();
                let dims: Vec<DimId> =
                    check.vars.iter().flat_map(|v| self.routine.vars[v.0 as usize].dims.clone()).collect();
                let strides = self.strides(&self.sizes(&dims), &at);
                self.conditions.push(Condition { text: check.text.as_str().into(), member: 0 });
                let position = self.conditions.len() as u16 - 1;
                let (value, at) = (self.expr(&check.value), self.flat(&at, &strides).affine);
                made.push(Stmt::Check { check: position, required: Requirement::Sign(check.sign), value, at });
            }
            Step::Zero { target } if self.length(*target) == 1 => {
                let zero = self.constant(T::zero());
                made.push(Stmt::Set(self.start(*target), zero));
            }
            Step::Zero { target } => made.push(Stmt::Zero(target.0 as u16)),
            Step::Gemm(gemm) => made.extend(self.product(gemm)),
            Step::Carry { target, source, map, forward } => made.push(self.carry(*target, *source, *map, *forward)),
        }
    }

    /// A matrix product, where all three are matrices; else the loops that say the same.
    fn product(&mut self, gemm: &Gemm) -> Vec<Stmt> {
        let [target, left, right] =
            [&gemm.target, &gemm.left, &gemm.right].map(|operand| self.place(operand.buffer, &operand.at));
        let (m, k, n) = (self.extent_of(&gemm.m), self.extent_of(&gemm.k), self.extent_of(&gemm.n));
        if (m, k, n) == (1, 1, 1) {
            let factor = |place| Box::new(Expr::Load(place));
            return vec![Stmt::Set(target, Expr::Binary(Binary::Mul, factor(left), factor(right)))];
        }
        let matrices = [
            self.matrix(&target, &gemm.m, &gemm.n),
            self.matrix(&left, &gemm.m, &gemm.k),
            self.matrix(&right, &gemm.k, &gemm.n),
        ];
        match matrices {
            [Some(target), Some(left), Some(right)] => {
                vec![Stmt::Gemm(Box::new(Product { m, k, n, target, left, right }))]
            }
            _ => self.loops_of_product(gemm, target, left, right),
        }
    }

    /// The place as a matrix: where its first element is, and how far a step along each group of variables goes.
    ///
    /// Whatever stands around a variable (a part of a split, a shift, a stride) is in the place already.
    /// None where no single step goes along a group, because a table has to be looked at for each of its elements or
    /// it does not lie in one piece; and none where the matrix may not be there at all.
    fn matrix(&self, place: &Place, rows: &[schedule::Var], cols: &[schedule::Var]) -> Option<Matrix> {
        let Point { affine, lookups } = &place.point;
        if place.point.partial() {
            return None;
        }
        let stride = |group: &[schedule::Var]| {
            let (mut stride, mut next) = (0, None);
            for var in group.iter().rev().filter(|v| self.extent(**v) > 1) {
                let (own, step) = (var.0 as Var, affine.factor(var.0 as Var));
                if step < 0 || next.is_some_and(|next| next != step) || lookups.iter().any(|l| l.at.factor(own) != 0) {
                    return None;
                }
                if next.is_none() {
                    stride = step;
                }
                next = Some(step * self.extent(*var) as i64);
            }
            usize::try_from(stride).ok()
        };
        let (row_stride, col_stride) = (stride(rows)?, stride(cols)?);
        let mut place = place.clone();
        for var in rows.iter().chain(cols) {
            place.point.affine.remove(var.0 as Var);
        }
        Some(Matrix { place, row_stride, col_stride })
    }

    fn loops_of_product(&mut self, gemm: &Gemm, target: Place, left: Place, right: Place) -> Vec<Stmt> {
        let around = |made: &Self, group: &[schedule::Var], mut body: Vec<Stmt>| {
            for var in group.iter().rev().filter(|v| made.extent(**v) > 1) {
                body = vec![Stmt::Loop { var: var.0 as Var, extent: made.extent(*var), lanes: false, body }];
            }
            body
        };
        let sum = self.temps;
        self.temps += 1;
        let factor = |place| Box::new(Expr::Load(place));
        let term = Expr::Binary(Binary::Mul, factor(left), factor(right));
        let mut body = vec![Stmt::Start(sum, None)];
        body.extend(around(self, &gemm.k, vec![Stmt::Fold(sum, Reduction::Sum, term)]));
        body.push(Stmt::Set(target, Expr::Temp(sum)));
        around(self, &[gemm.m.as_slice(), &gemm.n].concat(), body)
    }

    fn carry(&mut self, target: schedule::BufferId, source: schedule::BufferId, map: MapId, forward: bool) -> Stmt {
        if self.length(target) == 1 {
            return Stmt::Set(self.start(target), Expr::Load(self.start(source)));
        }
        let entries = self.setting.maps[map.0 as usize];
        if entries.iter().enumerate().all(|(at, to)| *to == Some(at)) {
            return Stmt::Copy(target.0 as u16, source.0 as u16);
        }
        let (table, extent) = (self.table(map), entries.len());
        // A counter of its own, behind those of the routine.
        let var = self.extents.len() as Var;
        self.extents.push(extent);
        let plain = Point { affine: Affine::counter(var, 1), lookups: vec![] };
        let mapped = self.looked_up(table, Affine::counter(var, 1));
        let (to, from) = if forward { (mapped, plain) } else { (plain, mapped) };
        let place = |buffer: schedule::BufferId, point| Place { buffer: buffer.0 as u16, point, homes: vec![(var, 1)] };
        let body = vec![Stmt::Set(place(target, to), Expr::Load(place(source, from)))];
        Stmt::Loop { var, extent, lanes: false, body }
    }
}
