//! `pullback program`: a program of one instruction, made of a statement, sizes and data.
//!
//! Its inputs and outputs are those of the statement, under their names.

use std::path::Path;
use std::sync::Arc;

use pullback_kernel::statement::{Map, MapKind, Statement};
use pullback_program::interchange::number;
use pullback_program::{
    Array, Binding, Builder, DynProgram, Elements, IndexData, Limits, Literal, Operation, Operator, Shape,
};

use crate::arguments::{self, Named};
use crate::output::{Closed, Console};
use crate::problem::{Problem, ProgramProblem};
use crate::source::Origin;
use crate::status::Status;

use super::{Problems, document, read};

/// Runs the subcommand.
pub(crate) fn run(arguments: &arguments::Program, console: &mut Console) -> Result<Status, Closed> {
    let given = arguments.clone();
    let path = Path::new(&arguments.statement);
    document(console, path, arguments.output.as_deref(), move |tell| {
        tell("reading");
        let operator = operator(&given.statement)?;
        tell("making the program");
        let file = named(&given.statement);
        let program = program(&operator, &given).map_err(|messages| {
            let problem = |message| Problem::of_program(ProgramProblem::Program, &file, message);
            messages.into_iter().map(problem).collect::<Problems>()
        })?;
        program.to_json().map_err(|error| read::unwritten(Path::new(&given.statement), &error))
    })
}

/// What a statement is called in messages: its file, or its name.
fn named(statement: &str) -> String {
    Origin::of(Path::new(statement)).name()
}

/// A statement of the library by its name, or that of a file.
fn operator(statement: &str) -> Result<Arc<Operator>, Problems> {
    let problem = |message: String| Problem::of_program(ProgramProblem::Program, &named(statement), message);
    let is_file =
        statement == "-" || statement.ends_with(".contract") || statement.contains(['/', std::path::MAIN_SEPARATOR]);
    if !is_file {
        let help = "a statement of a file is named by it, such as my.contract";
        return Operator::library(statement).map_err(|error| vec![problem(error.to_string()).with_help(help)]);
    }
    let source = Origin::of(Path::new(statement)).read().map_err(|problem| vec![*problem])?;
    let text = String::from_utf8(source.bytes).map_err(|_| vec![problem("is not UTF-8".to_owned())])?;
    Operator::from_text(&text).map_err(|error| vec![problem(error.to_string())])
}

/// The program, or everything that is wrong with what was given.
fn program(operator: &Arc<Operator>, given: &arguments::Program) -> Result<DynProgram, Vec<String>> {
    let statement = operator.statement();
    let mut wrong = Vec::new();
    let binding = binding(statement, given, &mut wrong);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let limits = Limits::default();
    let operation = Operation::new(Arc::clone(operator), binding, &limits)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let one = |error: pullback_program::ApplyError| vec![error.to_string()];
    let mut builder = Builder::new(limits);
    let mut inputs = Vec::new();
    for (input, shape) in statement.inputs().iter().zip(operation.inputs()) {
        inputs.push(builder.input(&input.name.text, shape.clone()).map_err(one)?);
    }
    let outputs = builder.apply(operation, &inputs).map_err(one)?;
    for (output, value) in statement.outputs().iter().zip(outputs) {
        builder.output(&output.tensor.name.text, value);
    }
    Ok(builder.finish())
}

/// The data of the operation; what is missing, too much or malformed is noted.
fn binding(statement: &Statement, given: &arguments::Program, wrong: &mut Vec<String>) -> Binding {
    let dims = statement.dims().iter().map(|d| (d.name.text.as_str(), d.pack)).collect::<Vec<_>>();
    let sizes = all("dimension", "--dims", &dims.iter().map(|(name, _)| *name).collect::<Vec<_>>(), &given.dims, wrong);
    let mut parsed = Vec::new();
    for ((name, pack), text) in dims.iter().zip(sizes) {
        // A pack of no axes is written with nothing after the sign.
        let parts: Vec<&str> = if text.is_empty() { vec![] } else { text.split(['x', ',']).collect() };
        let sizes: Option<Vec<usize>> = parts.iter().map(|part| part.trim().parse().ok()).collect();
        match sizes {
            Some(sizes) if *pack || sizes.len() == 1 => parsed.push(sizes),
            _ => {
                let form = if *pack { "sizes such as 2x3, or nothing for no axes" } else { "one size" };
                wrong.push(format!("`{name}={text}`: a dimension `{name}` has {form}"));
                parsed.push(vec![]);
            }
        }
    }
    let params: Vec<&str> = statement.params().iter().map(|p| p.name.text.as_str()).collect();
    let values = all("parameter", "--param", &params, &given.params, wrong);
    let params = params.iter().zip(values).map(|(name, text)| literal(name, &text, wrong)).collect();
    let maps: Vec<&Map> = statement.maps().iter().filter(|m| !matches!(m.kind, MapKind::Part { .. })).collect();
    let names: Vec<&str> = maps.iter().map(|m| m.name.text.as_str()).collect();
    let tables = all("index map", "--map", &names, &given.maps, wrong);
    let maps = maps.iter().zip(tables).map(|(map, text)| table(map, &text, wrong)).collect();
    let names: Vec<&str> = statement.constants().iter().map(|c| c.name.text.as_str()).collect();
    let values = all("constant", "--constant", &names, &given.constants, wrong);
    let mut constants = Vec::new();
    for (constant, text) in statement.constants().iter().zip(values) {
        let name = &constant.name.text;
        let shape: Vec<usize> =
            constant.axes.iter().flat_map(|d| parsed.get(d.0 as usize).cloned().unwrap_or_default()).collect();
        let mut numbers: Vec<Literal> = text.split(',').map(|part| literal(name, part, wrong)).collect();
        let elements = match numbers.len() {
            1 => Elements::Splat(numbers.remove(0)),
            _ => Elements::Each(numbers),
        };
        constants.push(Array { shape: Shape::new(&shape), elements });
    }
    Binding { dims: parsed, params, maps, constants }
}

/// What is given for each name, in their order; one that is missing, comes twice or is not there is noted.
fn all(what: &str, option: &str, names: &[&str], given: &[Named], wrong: &mut Vec<String>) -> Vec<String> {
    for (k, one) in given.iter().enumerate() {
        if !names.contains(&one.name.as_str()) {
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            wrong.push(format!("there is no {what} `{}`; there are: {known}", one.name));
        } else if given[..k].iter().any(|other| other.name == one.name) {
            wrong.push(format!("{what} `{}` is given twice", one.name));
        }
    }
    let one = |name: &&str| match given.iter().find(|one| one.name == **name) {
        Some(one) => one.value.clone(),
        None => {
            wrong.push(format!("{what} `{name}` is missing: {option} {name}=…"));
            // Stands for anything: nothing is made of it.
            "1".to_owned()
        }
    };
    names.iter().map(one).collect()
}

/// An exact number, as the language of statements has it, or a fraction.
fn literal(name: &str, text: &str, wrong: &mut Vec<String>) -> Literal {
    match number(text.trim()) {
        Ok(number) => Literal::Exact(number),
        Err(error) => {
            wrong.push(format!("`{name}`: {error}"));
            Literal::integer(1)
        }
    }
}

/// A table of places, where `-` is none, or `row-major`.
fn table(map: &Map, text: &str, wrong: &mut Vec<String>) -> IndexData {
    if text == "row-major" {
        return IndexData::RowMajor;
    }
    let place = |part: &str| match part.trim() {
        "-" if map.kind == MapKind::Partial => Some(None),
        part => part.parse().ok().map(Some),
    };
    let Some(places) = text.split(',').map(place).collect::<Option<Vec<Option<usize>>>>() else {
        let none = if map.kind == MapKind::Partial { ", with - where it is undefined" } else { "" };
        let name = &map.name.text;
        wrong.push(format!("`{name}={text}`: an index map is `row-major`, or places such as 1,0,2{none}"));
        return IndexData::RowMajor;
    };
    if map.kind == MapKind::Partial {
        return IndexData::Partial(places);
    }
    IndexData::Table(places.into_iter().flatten().collect())
}
