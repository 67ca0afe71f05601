//! Routines as pseudo-code.

use std::fmt;

use pullback_kernel::statement::{Comparison, Sign};

use crate::ir::{Gemm, Index, Operand, Reduction, Role, Routine, Scalar, Step, Temp, Var};

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |role: fn(&Role) -> bool| {
            let names: Vec<String> =
                self.buffers.iter().filter(|b| role(&b.role)).map(|b| self.declared(&b.name, &b.axes)).collect();
            names.join(", ")
        };
        writeln!(f, "given {}", group(|r| matches!(r, Role::Given(_))))?;
        writeln!(f, "makes {}", group(|r| matches!(r, Role::Result(_) | Role::Gradient(_))))?;
        let mut used = vec![];
        for step in &self.steps {
            crate::fuse::accesses(step, &mut |a| used.push(a.buffer));
        }
        let locals: Vec<String> = self
            .buffers
            .iter()
            .enumerate()
            .filter(|(i, b)| b.role == Role::Local && used.iter().any(|u| u.0 as usize == *i))
            .map(|(_, b)| self.declared(&b.name, &b.axes))
            .collect();
        if !locals.is_empty() {
            writeln!(f, "local {}", locals.join(", "))?;
        }
        self.steps.iter().try_for_each(|s| self.step(f, s, 0))
    }
}

impl Routine {
    fn declared(&self, name: &str, axes: &[pullback_kernel::statement::DimId]) -> String {
        let axes: Vec<&str> = axes.iter().map(|d| self.dims[d.0 as usize].as_str()).collect();
        format!("{name}[{}]", axes.join(", "))
    }

    /// The name of a variable, with a number where two have the same.
    fn var(&self, v: Var) -> String {
        let name = &self.vars[v.0 as usize].name;
        let earlier = self.vars[..v.0 as usize].iter().filter(|w| w.name == *name).count();
        if earlier == 0 { name.clone() } else { format!("{name}{earlier}") }
    }

    fn temp(&self, t: Temp) -> String {
        let name = &self.temps[t.0 as usize];
        let earlier = self.temps[..t.0 as usize].iter().filter(|w| *w == name).count();
        if earlier == 0 { name.clone() } else { format!("{name}'{earlier}") }
    }

    fn index(&self, i: &Index) -> String {
        match i {
            Index::Var(v) => self.var(*v),
            Index::First => "0".into(),
            Index::Map(m, args) => format!("{}({})", self.maps[m.0 as usize], self.indices(args)),
        }
    }

    fn indices(&self, at: &[Index]) -> String {
        at.iter().map(|i| self.index(i)).collect::<Vec<_>>().join(", ")
    }

    fn vars(&self, vars: &[Var]) -> String {
        vars.iter().map(|v| self.var(*v)).collect::<Vec<_>>().join(", ")
    }

    fn operand(&self, o: &Operand) -> String {
        format!("{}[{}]", self.buffers[o.buffer.0 as usize].name, self.indices(&o.at))
    }

    fn scalar(&self, s: &Scalar, level: u8) -> String {
        let wrap = |own: u8, text: String| if own < level { format!("({text})") } else { text };
        match s {
            Scalar::Number(q) => wrap(if q.is_integer() && *q.numer() >= 0.into() { 9 } else { 2 }, q.to_string()),
            Scalar::Param(p) => self.params[p.0 as usize].clone(),
            Scalar::Size(d) => format!("|{}|", self.dims[d.0 as usize]),
            Scalar::Temp(t) => self.temp(*t),
            Scalar::Read(b, at) => format!("{}[{}]", self.buffers[b.0 as usize].name, self.indices(at)),
            Scalar::Neg(a) => wrap(2, format!("-{}", self.scalar(a, 3))),
            Scalar::Add(a, b) => wrap(1, format!("{} + {}", self.scalar(a, 1), self.scalar(b, 2))),
            Scalar::Sub(a, b) => wrap(1, format!("{} - {}", self.scalar(a, 1), self.scalar(b, 2))),
            Scalar::Mul(a, b) => wrap(2, format!("{} * {}", self.scalar(a, 2), self.scalar(b, 3))),
            Scalar::Div(a, b) => wrap(2, format!("{} / {}", self.scalar(a, 2), self.scalar(b, 3))),
            Scalar::Pow(a, k) => format!("{}^{k}", self.scalar(a, 9)),
            Scalar::Call(function, a) => format!("{}({})", format!("{function:?}").to_lowercase(), self.scalar(a, 0)),
            Scalar::Equal(a, b) => format!("[{} == {}]", self.index(a), self.index(b)),
            Scalar::If { comparison, left, right, then, otherwise } => {
                let sign = match comparison {
                    Comparison::Greater => ">",
                    Comparison::GreaterOrEqual => ">=",
                };
                let (left, right) = (self.scalar(left, 1), self.scalar(right, 1));
                wrap(
                    0,
                    format!(
                        "if {left} {sign} {right} then {} else {}",
                        self.scalar(then, 0),
                        self.scalar(otherwise, 0)
                    ),
                )
            }
        }
    }

    fn step(&self, f: &mut fmt::Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        match step {
            Step::Check(c) => {
                let sign = match c.sign {
                    Sign::Positive => "> 0",
                    Sign::NonNegative => ">= 0",
                    Sign::NonZero => "!= 0",
                };
                writeln!(f, "{pad}check {} {sign}", self.scalar(&c.value, 1))
            }
            Step::Loop { vars, body } => {
                writeln!(f, "{pad}for {}", self.vars(vars))?;
                body.iter().try_for_each(|s| self.step(f, s, depth + 1))
            }
            Step::Let { temp, value } => writeln!(f, "{pad}{} := {}", self.temp(*temp), self.scalar(value, 0)),
            Step::Start { temp, value } => {
                let value = value.as_ref().map_or("0".into(), |v| self.scalar(v, 0));
                writeln!(f, "{pad}{} := {value}", self.temp(*temp))
            }
            Step::Fold { temp, how, value } => {
                let sign = match how {
                    Reduction::Sum => "+=",
                    Reduction::Max => "max=",
                };
                writeln!(f, "{pad}{} {sign} {}", self.temp(*temp), self.scalar(value, 0))
            }
            Step::Set { target, at, value } => {
                writeln!(
                    f,
                    "{pad}{}[{}] = {}",
                    self.buffers[target.0 as usize].name,
                    self.indices(at),
                    self.scalar(value, 0)
                )
            }
            Step::Add { target, at, value } => {
                writeln!(
                    f,
                    "{pad}{}[{}] += {}",
                    self.buffers[target.0 as usize].name,
                    self.indices(at),
                    self.scalar(value, 0)
                )
            }
            Step::Zero { target } => writeln!(f, "{pad}{} = 0", self.buffers[target.0 as usize].name),
            Step::Gemm(Gemm { target, left, right, m, n, k }) => writeln!(
                f,
                "{pad}gemm {} = {} * {}  rows {} columns {} over {}",
                self.operand(target),
                self.operand(left),
                self.operand(right),
                self.vars(m),
                self.vars(n),
                self.vars(k)
            ),
            Step::Carry { target, source, map, forward } => {
                let (target, source) = (&self.buffers[target.0 as usize].name, &self.buffers[source.0 as usize].name);
                let map = &self.maps[map.0 as usize];
                if *forward {
                    writeln!(f, "{pad}carry {target}[{map}(i)] = {source}[i]")
                } else {
                    writeln!(f, "{pad}carry {target}[i] = {source}[{map}(i)]")
                }
            }
        }
    }
}
