//! From a nest to code: registers are given out, places are written down.

use std::collections::HashMap;

use pullback_scalar::Real;
use pullback_schedule::Reduction;

use super::code::{Check, Code, Entry, ONE, Op, Place, Point, Product, Reg, Sum};
use super::concrete::constant;
use super::dag::{Dag, Id, Item, Value, dag};
use super::lanes::folded_from_outside;
use super::nest::{self, Affine, Expr, Nest, Requirement, Stmt, Temp, Var};
use super::runs::Runs;

/// Registers of one kind.
#[derive(Default)]
struct Pool {
    free: Vec<Reg>,
    used: u32,
}

impl Pool {
    fn take(&mut self) -> Reg {
        self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            (self.used - 1) as Reg
        })
    }
}

struct Emitter<T> {
    code: Code<T>,
    /// Single registers count from zero here, behind the constants in the code.
    singles: Pool,
    lanes: Pool,
    /// Where scalar locals are.
    temps: HashMap<Temp, Reg>,
    /// The lanes of accumulators that belong to the outside of the loop with lanes.
    partial: HashMap<Temp, Reg>,
    /// The counter of the loop with lanes, inside of it.
    lane: Option<Var>,
    /// The loops around, and the tables whose runs were looked for.
    loops: Vec<(Var, usize)>,
    runs: Runs,
    places: HashMap<Place, u16>,
}

/// The code of a nest whose loops with lanes are chosen.
/// None where a statement is so large that its registers or places have no numbers.
pub(crate) fn emit<T: Real>(nest: Nest<T>) -> Option<Code<T>> {
    let code = Code {
        ops: vec![],
        consts: nest.consts,
        places: vec![],
        points: vec![],
        products: vec![],
        checks: vec![],
        tables: nest.tables,
        runs: vec![],
        counters: nest.vars as usize,
        singles: 0,
        lanes: 0,
        lengths: nest.lengths,
    };
    let mut emitter = Emitter {
        code,
        singles: Pool::default(),
        lanes: Pool::default(),
        temps: HashMap::new(),
        partial: HashMap::new(),
        lane: None,
        loops: vec![],
        runs: Runs::default(),
        places: HashMap::new(),
    };
    let check = |condition| Check { condition, required: Requirement::Finite, at: Sum::default(), step: 0 };
    emitter.code.checks = nest.conditions.into_iter().map(check).collect();
    emitter.zero();
    emitter.body(&nest.body);
    emitter.finish()
}

impl<T: Real> Emitter<T> {
    /// The register of the constant zero.
    fn zero(&mut self) -> Reg {
        CONST + constant(&mut self.code.consts, T::zero())
    }

    // ---- steps -----------------------------------------------------------------------------------------------------

    fn body(&mut self, body: &[Stmt]) {
        let outer: Vec<Temp> = self.temps.keys().copied().collect();
        let mut at = 0;
        while at < body.len() {
            let straight = body[at..].iter().take_while(|s| is_straight(s)).count();
            if straight > 0 {
                self.run(&body[at..at + straight], &body[at + straight..]);
            } else {
                self.whole(&body[at]);
            }
            at += straight.max(1);
        }
        let gone: Vec<Temp> = self.temps.keys().filter(|t| !outer.contains(t)).copied().collect();
        let mut freed = vec![];
        for temp in gone {
            freed.extend(self.temps.remove(&temp));
        }
        freed.sort_unstable();
        freed.dedup();
        freed.retain(|r| !self.temps.values().any(|t| t == r));
        freed.into_iter().for_each(|r| self.free(r));
    }

    fn whole(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Loop { var, extent, lanes: false, body } => {
                let start = self.code.ops.len();
                self.code.ops.push(Op::Repeat { counter: *var, extent: *extent as u32, length: 0 });
                self.loops.push((*var, *extent));
                self.body(body);
                self.loops.pop();
                self.close(start);
            }
            Stmt::Loop { var, extent, lanes: true, body } => self.lanes(*var, *extent, body),
            Stmt::Zero(buffer) => self.code.ops.push(Op::Zero { buffer: *buffer }),
            Stmt::Copy(target, source) => self.code.ops.push(Op::Copy { target: *target, source: *source }),
            Stmt::Gemm(product) => self.product(product),
            _ => {}
        }
    }

    /// Writes down how many steps the loop has.
    fn close(&mut self, start: usize) {
        let steps = (self.code.ops.len() - start - 1) as u32;
        if let Op::Repeat { length, .. } | Op::Lanes { length, .. } = &mut self.code.ops[start] {
            *length = steps;
        }
    }

    fn lanes(&mut self, var: Var, extent: usize, body: &[Stmt]) {
        let sums = folded_from_outside(body);
        let extent = extent as u32;
        for (temp, how) in &sums {
            let lanes = self.lanes.take();
            let a = if *how == Reduction::Sum { self.zero() } else { self.temps[temp] };
            self.code.ops.push(Op::Spread { dst: lanes, a, extent });
            self.partial.insert(*temp, lanes);
        }
        let start = self.code.ops.len();
        self.code.ops.push(Op::Lanes { counter: var, extent, length: 0 });
        self.lane = Some(var);
        self.loops.push((var, extent as usize));
        self.body(body);
        self.loops.pop();
        self.lane = None;
        self.close(start);
        for (temp, how) in sums {
            if let Some(lanes) = self.partial.remove(&temp) {
                self.code.ops.push(Op::Combine { how, dst: self.temps[&temp], lanes, extent });
                self.free(lanes);
            }
        }
    }

    fn product(&mut self, p: &nest::Product) {
        let all = [&p.target, &p.left, &p.right];
        let product = Product {
            m: p.m,
            k: p.k,
            n: p.n,
            places: all.map(|m| self.place(&m.place)),
            rows: all.map(|m| m.row_stride),
            cols: all.map(|m| m.col_stride),
        };
        self.code.products.push(product);
        self.code.ops.push(Op::Gemm { product: (self.code.products.len() - 1) as u16 });
    }

    // ---- straight runs ---------------------------------------------------------------------------------------------

    fn run(&mut self, stmts: &[Stmt], later: &[Stmt]) {
        let graph = dag(stmts, &mut self.code.consts);
        let pinned: Vec<(Temp, Id)> = graph.named.iter().filter(|n| is_read(n.0, later)).copied().collect();
        let last = last_uses(&graph, &pinned);
        let mut regs: Vec<Option<Reg>> = vec![None; graph.values.len()];
        for (at, item) in graph.items.iter().enumerate() {
            match item {
                Item::Value(id) if last[*id as usize].is_none() => continue,
                Item::Value(id) => regs[*id as usize] = Some(self.value(&graph.values[*id as usize], &regs)),
                effect => self.effect(effect, &regs),
            }
            self.release(&graph, item, at, &last, &mut regs);
        }
        for (temp, id) in pinned {
            if let Some(reg) = regs[id as usize] {
                self.temps.insert(temp, reg);
            }
        }
    }

    /// Frees the registers of the values that the item was the last to use.
    fn release(&mut self, graph: &Dag, item: &Item, at: usize, last: &[Option<usize>], regs: &mut [Option<Reg>]) {
        let mut used = match item {
            Item::Value(id) => graph.values[*id as usize].operands(),
            effect => effect.used().into_iter().collect(),
        };
        used.dedup();
        used.sort_unstable();
        used.dedup();
        for id in used {
            let own = !matches!(graph.values[id as usize], Value::Const(_) | Value::Temp(_));
            if own
                && last[id as usize] == Some(at)
                && let Some(reg) = regs[id as usize].take()
            {
                self.free(reg);
            }
        }
    }

    fn free(&mut self, reg: Reg) {
        match reg {
            CONST.. => {}
            ONE.. => self.singles.free.push(reg - ONE),
            _ => self.lanes.free.push(reg),
        }
    }

    /// A fresh register: of lanes if one of the operands is.
    fn fresh(&mut self, lanes: bool) -> Reg {
        if lanes { self.lanes.take() } else { ONE + self.singles.take() }
    }

    fn value(&mut self, value: &Value, regs: &[Option<Reg>]) -> Reg {
        let reg = |id: &Id| regs[*id as usize].unwrap_or(CONST);
        let lanes = value.operands().iter().any(|id| reg(id) < ONE);
        match value {
            Value::Const(c) => CONST + c,
            Value::Temp(t) => self.temps.get(t).copied().unwrap_or(CONST),
            Value::Load(place) => {
                let dst = self.fresh(self.lane.is_some_and(|lane| place.point.moves(lane)));
                let place = self.place(place);
                self.put(dst, Op::Load { dst, place })
            }
            Value::Unary(op, a) => {
                let dst = self.fresh(lanes);
                self.put(dst, Op::Unary { op: *op, dst, a: reg(a) })
            }
            Value::Power(a, exponent) => {
                let dst = self.fresh(lanes);
                self.put(dst, Op::Power { dst, a: reg(a), exponent: *exponent })
            }
            Value::Binary(op, a, b) => {
                let dst = self.fresh(lanes);
                self.put(dst, Op::Binary { op: *op, dst, a: reg(a), b: reg(b) })
            }
            Value::Equal(p, q) => {
                let dst = self.fresh(self.lane.is_some_and(|lane| p.moves(lane) || q.moves(lane)));
                let (p, q) = (self.position(p), self.position(q));
                self.put(dst, Op::Equal { dst, p, q })
            }
            Value::Choose(strict, parts) => {
                let dst = self.fresh(lanes);
                let parts = parts.map(|id| reg(&id));
                self.choose(*strict, dst, parts)
            }
        }
    }

    /// Side by side, all parts are lanes.
    fn choose(&mut self, strict: bool, dst: Reg, mut parts: [Reg; 4]) -> Reg {
        let mut spread = vec![];
        for part in &mut parts {
            if dst < ONE && *part >= ONE {
                let lanes = self.lanes.take();
                self.code.ops.push(Op::Move { dst: lanes, a: *part });
                spread.push(lanes);
                *part = lanes;
            }
        }
        self.code.ops.push(Op::Choose { strict, dst, parts });
        self.lanes.free.extend(spread);
        dst
    }

    fn put(&mut self, dst: Reg, op: Op) -> Reg {
        self.code.ops.push(op);
        dst
    }

    fn effect(&mut self, item: &Item, regs: &[Option<Reg>]) {
        let reg = |id: &Id| regs[*id as usize].unwrap_or(CONST);
        match item {
            Item::Value(_) => {}
            Item::Set(place, a) => {
                let place = self.place(place);
                self.code.ops.push(Op::Store { place, a: reg(a) });
            }
            Item::Add(place, a) => {
                let place = self.place(place);
                self.code.ops.push(Op::Add { place, a: reg(a) });
            }
            Item::Start(temp, a) => {
                let a = match a {
                    Some(a) => reg(a),
                    None => self.zero(),
                };
                let dst = self.fresh(self.lane.is_some());
                self.code.ops.push(Op::Move { dst, a });
                self.temps.insert(*temp, dst);
            }
            Item::Fold(temp, how, a) => {
                let dst = self.partial.get(temp).or_else(|| self.temps.get(temp)).copied().unwrap_or(CONST);
                self.code.ops.push(Op::Fold { how: *how, dst, a: reg(a) });
            }
            Item::Check { check, required, value, at } => {
                let step = self.lane.map_or(0, |lane| at.factor(lane));
                let check_at = &mut self.code.checks[*check as usize];
                (check_at.required, check_at.at, check_at.step) = (*required, sum(at), step);
                self.code.ops.push(Op::Check { check: *check, a: reg(value) });
            }
        }
    }

    // ---- places ----------------------------------------------------------------------------------------------------

    fn point(&mut self, point: &nest::Point) -> Point {
        let lane = self.lane;
        let step = |at: &Affine| lane.map_or(0, |lane| at.factor(lane));
        let (mut looked_up, mut shared) = (vec![], vec![]);
        for lookup in &point.lookups {
            let (at, step) = (sum(&lookup.at), step(&lookup.at));
            let table = &self.code.tables[lookup.table as usize];
            let runs = match lane {
                Some(lane) if step != 0 => self.runs.find(table, lookup, lane, &self.loops, &mut self.code.runs),
                _ => None,
            };
            let entry = Entry { table: lookup.table, at, scale: lookup.scale, step, runs };
            if step == 0 { shared.push(entry) } else { looked_up.push(entry) }
        }
        Point {
            base: sum(&point.affine),
            step: step(&point.affine),
            shared: shared.into(),
            looked_up: looked_up.into(),
        }
    }

    fn place(&mut self, place: &nest::Place) -> u16 {
        let place = Place { buffer: place.buffer, point: self.point(&place.point) };
        *self.places.entry(place).or_insert_with_key(|place| {
            self.code.places.push(place.clone());
            (self.code.places.len() - 1) as u16
        })
    }

    fn position(&mut self, point: &nest::Point) -> u16 {
        let point = self.point(point);
        self.code.points.push(point);
        (self.code.points.len() - 1) as u16
    }

    // ---- the end ---------------------------------------------------------------------------------------------------

    /// Puts the single registers behind the constants.
    fn finish(mut self) -> Option<Code<T>> {
        let few = |n: usize| n < usize::from(CONST - ONE);
        let code = &self.code;
        let named = code.places.len().max(code.points.len()).max(code.products.len()) <= usize::from(u16::MAX);
        let registers = few(code.consts.len()) && few(self.singles.used as usize) && few(self.lanes.used as usize);
        if !(named && registers && few(code.counters) && few(code.lengths.len())) {
            return None;
        }
        let consts = self.code.consts.len() as Reg;
        let mut place = |r: &mut Reg| match *r {
            CONST.. => *r = ONE + (*r - CONST),
            ONE.. => *r += consts,
            _ => {}
        };
        for op in &mut self.code.ops {
            op.registers(&mut place);
        }
        self.code.singles = self.code.consts.len() + self.singles.used as usize;
        self.code.lanes = self.lanes.used as usize;
        Some(self.code)
    }
}

/// The first constant, until the number of constants is known.
const CONST: Reg = ONE + (1 << 14);

fn is_straight(stmt: &Stmt) -> bool {
    !matches!(stmt, Stmt::Loop { .. } | Stmt::Zero(_) | Stmt::Copy(..) | Stmt::Gemm(_))
}

fn is_read(temp: Temp, stmts: &[Stmt]) -> bool {
    let mut read = false;
    stmts.iter().for_each(|s| s.exprs(&mut |e| read |= *e == Expr::Temp(temp)));
    read
}

/// For each value the item that uses it last; none where it is not needed, the end where a later run reads it.
fn last_uses(graph: &Dag, pinned: &[(Temp, Id)]) -> Vec<Option<usize>> {
    let mut last = vec![None; graph.values.len()];
    for (_, id) in pinned {
        last[*id as usize] = Some(usize::MAX);
    }
    for (at, item) in graph.items.iter().enumerate().rev() {
        let used = match item {
            Item::Value(id) if last[*id as usize].is_none() => continue,
            Item::Value(id) => graph.values[*id as usize].operands(),
            effect => effect.used().into_iter().collect(),
        };
        for id in used {
            last[id as usize].get_or_insert(at);
        }
    }
    last
}

fn sum(affine: &Affine) -> Sum {
    Sum { constant: affine.constant, terms: affine.terms.as_slice().into() }
}
