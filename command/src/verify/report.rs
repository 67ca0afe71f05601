//! The report of `verify`.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::suites::{Failure, Finished};
use crate::status::Status;

/// The version of the report's form.
const VERSION: u32 = 1;

/// All evidence of one run.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report {
    /// The version of this form.
    version: u32,
    /// The version of the library: the workspace has one for all its crates.
    pub(crate) library: &'static str,
    /// The compiler that the command was built with.
    pub(crate) compiler: &'static str,
    /// The platform that it was built for.
    pub(crate) target: &'static str,
    /// Whether the build was optimised: times of one that was not say nothing.
    optimised: bool,
    /// Where random numbers started, in the suites that draw any.
    pub(crate) seed: u64,
    /// How often the usual number of random draws was made, in the suites that draw.
    pub(crate) scale: usize,
    /// Whether everything holds.
    pub(crate) holds: bool,
    /// How long everything took.
    pub(crate) milliseconds: f64,
    /// The suites, in order.
    pub(crate) suites: Vec<Finished>,
}

impl Report {
    pub(crate) fn new(seed: u64, scale: usize, suites: Vec<Finished>, milliseconds: f64) -> Report {
        Report {
            version: VERSION,
            library: env!("CARGO_PKG_VERSION"),
            compiler: env!("PULLBACK_COMPILER"),
            target: env!("PULLBACK_TARGET"),
            optimised: !cfg!(debug_assertions),
            seed,
            scale,
            holds: suites.iter().all(|suite| suite.holds),
            milliseconds,
            suites,
        }
    }

    /// The report as its file holds it.
    pub(crate) fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(text)
    }

    /// What the exit code says.
    pub(crate) fn status(&self) -> Status {
        self.suites.iter().flat_map(|s| &s.failures).map(Failure::status).max().unwrap_or(Status::Holds)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::generate::SchemaSettings;
    use serde_json::{Value, json};

    use super::super::suites::{Context, Run, Suite, SuiteResult};
    use super::*;
    use crate::output::Console;

    /// The schema of the report, made from the types that are written.
    fn schema() -> Value {
        let mut schema =
            SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>().to_value();
        plain(&mut schema);
        schema["title"] = json!("Verification results");
        schema["description"] = json!("What `pullback verify` found: all evidence of one run.");
        schema["properties"]["version"]["const"] = json!(VERSION);
        schema
    }

    /// Without the names of Rust's types.
    fn plain(schema: &mut Value) {
        match schema {
            Value::Object(keywords) => {
                if keywords.get("format").is_some_and(Value::is_string) {
                    keywords.remove("format");
                }
                keywords.values_mut().for_each(plain);
            }
            Value::Array(list) => list.iter_mut().for_each(plain),
            _ => {}
        }
    }

    /// `UPDATE_SCHEMA=1` in the environment writes it anew.
    #[test]
    fn the_published_schema_is_fresh() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/verification-results.schema.json");
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            let text = serde_json::to_string_pretty(&schema()).expect("a schema") + "\n";
            std::fs::write(&path, text).expect("it is written");
        }
        let text = std::fs::read_to_string(&path).expect("the published schema");
        let published: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(published, schema(), "UPDATE_SCHEMA=1 writes {} anew", path.display());
    }

    fn holds(context: &mut Context<'_>) -> SuiteResult {
        SuiteResult { counts: vec![("scale", context.scale)], ..SuiteResult::default() }
    }

    fn fails(_: &mut Context<'_>) -> SuiteResult {
        let failures = vec![Failure::Law { name: "it".into(), message: "is not so".into() }];
        SuiteResult { failures, ..SuiteResult::default() }
    }

    fn panics(_: &mut Context<'_>) -> SuiteResult {
        panic!("out of cheese")
    }

    fn run(suites: &[fn(&mut Context<'_>) -> SuiteResult]) -> Report {
        crate::work::quiet_panics();
        let mut console = Console::new();
        let context = &mut Context { seed: 1, scale: 3, console: &mut console };
        let suite = |run| Suite { name: "suite", about: "it is so", draws: true, run: Run::Here(run) };
        let finished = suites.iter().map(|run| suite(*run).run(context)).collect();
        Report::new(1, 3, finished, 0.0)
    }

    #[test]
    fn a_suite_that_fails_or_panics_leaves_the_report_complete() {
        let report = run(&[fails, holds]);
        assert_eq!((report.status(), report.holds), (Status::Fails, false));
        let report = run(&[panics, fails, holds]);
        assert_eq!((report.status(), report.holds), (Status::CouldNotRun, false));
        let written: Value = serde_json::from_slice(&report.text().expect("a text")).expect("JSON");
        let suites = written["suites"].as_array().expect("suites");
        assert_eq!(suites.iter().map(|s| s["holds"] == true).collect::<Vec<_>>(), [false, false, true]);
        let error = suites[0]["failures"][0]["error"].as_str().expect("why");
        assert!(error.starts_with("internal error: out of cheese"), "{error}");
        assert_eq!(suites[1]["failures"][0], json!({ "name": "it", "message": "is not so" }));
        assert_eq!(suites[2]["counts"], json!({ "scale": 3 }));
        assert_eq!(run(&[holds]).status(), Status::Holds);
    }
}
