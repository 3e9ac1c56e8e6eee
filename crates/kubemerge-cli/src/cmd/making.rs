//! What the commands that make a patch have in common: which rules it follows, and how it is written.

use clap::Args;
use kubemerge::{Schema, Target, Tests};

use crate::args::{DialectWord, ObjectFormat, SchemaOptions, TypeWord};
use crate::failure::Result;
use crate::input::Origin;
use crate::job;
use crate::notice::Notice;
use crate::output::Output;
use crate::render;

#[derive(Debug, Args)]
pub(super) struct Making {
    /// How to write the patch
    #[arg(long, short, value_enum, default_value_t)]
    output: ObjectFormat,
    /// Which promise to keep
    #[arg(long, value_enum, default_value_t)]
    dialect: DialectWord,
    #[command(flatten)]
    schema: SchemaOptions,
}

impl Making {
    /// The rules.
    pub(super) fn schema(&self) -> Result<Schema> {
        self.schema_beside(&[])
    }

    /// The rules, with those of the definitions among some files.
    pub(super) fn schema_beside(&self, origins: &[Origin]) -> Result<Schema> {
        job::load_beside(&self.schema, origins)?.compile(self.dialect.into())
    }

    /// Writes the patches that were made.
    pub(super) fn write(&self, patches: &[Vec<u8>]) -> Result<()> {
        let texts: Vec<String> = patches.iter().map(|patch| render::object(self.output, patch)).collect();
        let between = match self.output {
            ObjectFormat::Yaml => "---\n",
            ObjectFormat::Json => "",
        };
        let mut out = Output::new();
        out.text(texts.join(between))?;
        out.finish()
    }
}

/// Whether the patch tells what it expects to find.
#[derive(Debug, Args)]
pub(super) struct TestsOption {
    /// Put a test before every operation of a JSON patch
    #[arg(long)]
    tests: bool,
}

impl TestsOption {
    /// The patch of a type that is wanted; other types than JSON patches have no tests.
    pub(super) fn target(&self, patch_type: TypeWord) -> Result<Target> {
        match (patch_type, self.tests) {
            (TypeWord::Json, true) => Ok(Target::Json(Tests::With)),
            (TypeWord::Json, false) => Ok(Target::Json(Tests::Without)),
            (TypeWord::Strategic, false) => Ok(Target::Strategic),
            (TypeWord::Merge, false) => Ok(Target::Merge),
            (TypeWord::Strategic | TypeWord::Merge, true) => {
                let notice = Notice::error("only JSON patches have tests");
                Err(notice.cure("make a JSON patch, or leave --tests out").into())
            }
        }
    }
}
