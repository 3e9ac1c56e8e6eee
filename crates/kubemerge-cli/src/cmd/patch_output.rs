//! Options of the commands that generate a patch: its merge rules and its output format.

use clap::Args;
use kubemerge::{Schema, Target, Tests};

use crate::args::{DialectArg, ObjectFormat, PatchTypeArg, SchemaOptions, VerbDialect};
use crate::input::Inputs;
use crate::load::{self, Manifest};
use crate::output::Stdout;
use crate::render;
use crate::report::{Notice, Result};

#[derive(Debug, Args)]
pub(super) struct PatchOutputArgs {
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: ObjectFormat,
    /// Merge rules: as Kubernetes merges, or as its design documents specify
    #[arg(long, value_parser = VerbDialect, default_value = "upstream")]
    dialect: DialectArg,
    #[command(flatten)]
    schema: SchemaOptions,
}

impl PatchOutputArgs {
    /// The rules.
    pub(super) fn schema(&self, inputs: &mut Inputs) -> Result<Schema> {
        self.schema_beside(inputs, &[])
    }

    /// The rules, with those of the definitions among some objects.
    pub(super) fn schema_beside(&self, inputs: &mut Inputs, objects: &[Manifest<'_>]) -> Result<Schema> {
        load::schemas_beside(&self.schema, inputs, objects)?.compile(self.dialect.into())
    }

    /// Writes the generated patches.
    pub(super) fn write(&self, patches: &[Vec<u8>]) -> Result<()> {
        write_patches(self.output, patches)
    }
}

/// Writes patches to stdout.
pub(super) fn write_patches(format: ObjectFormat, patches: &[Vec<u8>]) -> Result<()> {
    let texts: Vec<String> = patches.iter().map(|patch| render::object(format, patch)).collect();
    let between = match format {
        ObjectFormat::Yaml => "---\n",
        // JSON values follow each other without a separator, as kubectl reads them.
        ObjectFormat::Json => "",
    };
    let mut out = Stdout::new();
    out.text(texts.join(between))?;
    out.finish()
}

/// Whether a JSON patch has tests.
#[derive(Debug, Args)]
pub(super) struct TestsOption {
    /// Put a test before every operation of a JSON patch
    #[arg(long)]
    tests: bool,
}

impl TestsOption {
    /// The patch of a type that is wanted; other types than JSON patches have no tests.
    pub(super) fn target(&self, patch_type: PatchTypeArg) -> Result<Target> {
        match (patch_type, self.tests) {
            (PatchTypeArg::Json, true) => Ok(Target::Json(Tests::With)),
            (PatchTypeArg::Json, false) => Ok(Target::Json(Tests::Without)),
            (PatchTypeArg::Strategic, false) => Ok(Target::Strategic),
            (PatchTypeArg::Merge, false) => Ok(Target::Merge),
            (PatchTypeArg::Strategic | PatchTypeArg::Merge, true) => {
                let notice = Notice::error("only JSON patches have tests");
                Err(notice.help("generate a JSON patch, or leave --tests out").into())
            }
        }
    }
}
