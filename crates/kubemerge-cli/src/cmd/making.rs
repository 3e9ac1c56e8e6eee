//! What the commands that make a patch have in common: which rules it follows, and how it is written.

use clap::Args;
use kubemerge::Schema;

use crate::args::{DialectWord, ObjectFormat, SchemaOptions};
use crate::failure::Result;
use crate::input::Origin;
use crate::job;
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
