//! Imports go one way: a layer uses only those before it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// As in the map at the head of `lib.rs` and in ARCHITECTURE.md.
const LAYERS: &[&str] = &[
    "model",
    "system",
    "wire",
    "install",
    "signature",
    "release",
    "demo",
    "connect",
    "ledger",
    "seal",
    "scan",
    "store",
    "retain",
    "ingest",
    "query",
    "insight",
    "share",
    "report",
    "foreign",
    "api",
    "inbox",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path
            .file_stem()
            .is_some_and(|stem| stem == "tests" || stem == "testing");
        if is_test {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A source without comments, and without the tests beside it.
fn code(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The layers that a source names.
fn used(source: &str) -> Vec<&'static str> {
    let code = code(source);
    let names = |layer: &&&str| {
        let direct = format!("crate::{layer}::");
        let listed = code.split("use crate::{").skip(1).any(|list| {
            list.split("};")
                .next()
                .unwrap()
                .split([',', ' ', '\n'])
                .any(|word| word == **layer || word.starts_with(&format!("{layer}::")))
        });
        code.contains(&direct) || listed
    };
    LAYERS.iter().filter(names).copied().collect()
}

#[test]
fn imports_never_turn_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (floor, layer) in LAYERS.iter().enumerate() {
        let mut files = Vec::new();
        sources(&root.join(layer), &mut files);
        assert!(!files.is_empty(), "{layer} has no sources");
        for file in files {
            for other in used(&fs::read_to_string(&file).unwrap()) {
                let at = LAYERS.iter().position(|one| *one == other).unwrap();
                assert!(at <= floor, "{} uses {other}", file.display());
            }
        }
    }
}

/// The names that `api` gives on from its list of commands, but for those that modules have, too.
fn listed(api: &str) -> Vec<&str> {
    let modules: Vec<&str> = api
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    api.split("pub use commands::")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
        .flat_map(|names| names.split([',', ' ', '\n', '{', '}']))
        .filter(|name| !name.is_empty() && !modules.contains(name))
        .collect()
}

/// The names that a source of `api` lists from the others, tests beside the code left out.
fn from_others(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    ["use super::{", "use crate::api::{"]
        .into_iter()
        .flat_map(|list| code.split(list).skip(1))
        .filter_map(|rest| rest.split("};").next())
        .flat_map(|names| names.split([',', ' ', '\n']))
        .collect()
}

#[test]
fn no_command_imports_the_list_of_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api");
    let api = fs::read_to_string(root.join("mod.rs")).unwrap();
    let listed = listed(&api);
    assert!(listed.contains(&"clusters"));
    let mut files = Vec::new();
    sources(&root, &mut files);
    // Tables are asked for by name, and the page's types are written from the list.
    let above = ["mod.rs", "commands.rs", "save.rs", "typescript.rs"].map(|name| root.join(name));
    files.retain(|file| !above.contains(file));
    for file in files {
        for name in from_others(&fs::read_to_string(&file).unwrap()) {
            assert!(
                name != "commands" && !listed.contains(&name),
                "{} imports {name} from the list",
                file.display()
            );
        }
    }
}

#[test]
fn what_the_open_app_holds_does_not_know_the_app() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api");
    let mut known = vec!["app".to_owned()];
    let mut next = 0;
    while let Some(name) = known.get(next).cloned() {
        let code = code(&fs::read_to_string(root.join(format!("{name}.rs"))).unwrap());
        let mut words = code.split(|letter: char| !letter.is_alphanumeric());
        assert!(name == "app" || words.all(|word| word != "App"), "{name}");
        for import in code.split("use super::").skip(1) {
            let module = import.split("::").next().unwrap().to_owned();
            if root.join(format!("{module}.rs")).is_file() && !known.contains(&module) {
                known.push(module);
            }
        }
        next += 1;
    }
    for held in ["graphs", "kept_lines", "shelf", "trees"] {
        assert!(known.iter().any(|name| name == held), "{held}");
    }
}

#[test]
fn an_import_is_seen_in_each_of_its_forms() {
    assert_eq!(used("use crate::wire::Batch;"), ["wire"]);
    assert_eq!(
        used("use crate::{Error, Result, seal, store};"),
        ["seal", "store"]
    );
    assert_eq!(used("fn f() -> crate::api::App {}"), ["api"]);
    assert_eq!(used("/// [`crate::api::App`]"), [""; 0]);
}
