//! Writes `ui/src/generated/api.ts` from the types of the commands, and fails if the committed file was another.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

use super::{Change, SaveRequest, Saved, commands};
use crate::Code;
use crate::foreign::READ;

/// The declarations met so far, by name, and one line a command.
pub(super) struct Table {
    config: Config,
    seen: HashSet<TypeId>,
    types: BTreeMap<String, String>,
    commands: String,
}

impl Table {
    pub(super) fn command<Request: TS + 'static, Answer: TS + 'static>(
        &mut self,
        name: &str,
        doc: &str,
    ) {
        self.visit::<Request>();
        self.visit::<Answer>();
        let (request, answer) = (Request::name(&self.config), Answer::name(&self.config));
        writeln!(
            self.commands,
            "  /**{doc} */\n  {name}: {{ request: Ask<{request}>; answer: {answer} }};"
        )
        .unwrap();
    }
}

impl TypeVisitor for Table {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Only types of ours that are declared have a path; numbers, lists and options have none.
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("{docs}export {}\n", T::decl(&self.config));
            self.types.insert(T::ident(&self.config), declaration);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// What may be left out of a request: all but the number of a cluster.
const ASK: &str = "/** A request: what is left out has its default; only the number of a cluster must be given. */
export type Ask<R> = R extends { id: number } ? Pick<R, 'id'> & Partial<Omit<R, 'id'>> : Partial<R>;

";

/// How a command that fails answers, through every door.
const ERROR: &str = "/** How a command that fails answers, through every door. */
export type ApiError = {
  code: Code;
  /** What failed, in a sentence. */
  message: string;
  /** What to do about it, if anything. */
  hint: string | null;
};
";

fn generate() -> String {
    let mut table = Table {
        config: Config::new().with_large_int("number"),
        seen: HashSet::new(),
        types: BTreeMap::new(),
        commands: String::new(),
    };
    commands::visit(&mut table);
    table.visit::<Change>();
    table.visit::<Code>();
    table.visit::<SaveRequest>();
    table.visit::<Saved>();
    let mut text = String::from(
        "// Written from Rust by `cargo test -p bobbin-core typescript`. Not to be edited.\n\n",
    );
    text += "/** Every command: what it is asked with and what it answers. */\nexport interface Commands {\n";
    text += &table.commands;
    text += "}\n\n";
    text += ASK;
    text += ERROR;
    let ends = serde_json::to_string(&READ).unwrap();
    text += &format!(
        "\n/** How the names of files that are read here end. What a file is, its content says. */\nexport const fileEnds = {} as const;\n",
        ends.replace('"', "'").replace(',', ", ")
    );
    for declaration in table.types.values() {
        text += "\n";
        text += declaration;
    }
    text
}

#[test]
fn the_committed_typescript_is_what_rust_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/generated/api.ts");
    let wanted = generate();
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    if committed != wanted {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &wanted).unwrap();
        panic!(
            "{} was not current; it has been written again: commit it",
            path.display()
        );
    }
}
