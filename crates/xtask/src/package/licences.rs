//! The licences of what is built in: each text once, with all that it is of. They travel with the programs.
//!
//! Read from the sources that were compiled: crates from where cargo keeps them, packages of the page from `ui/node_modules`.
//! `.deny.toml` says which licences may be there at all; this gathers their words.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    files::root,
    process::{Failure, Result, ask, cargo},
};

/// How the names of such files begin, in small letters.
const NAMES: [&str; 6] = [
    "license",
    "licence",
    "copying",
    "notice",
    "copyright",
    "unlicense",
];
/// Sources of other languages lie within a crate, with a licence of their own.
const DEEP: usize = 3;
/// A file that is larger is no licence.
const MOST_BYTES: u64 = 256 << 10;

/// Something that is built in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Component {
    name: String,
    version: String,
    /// As its author declared it.
    licence: String,
    /// Where its source is: MPL-2.0 wants that said.
    source: String,
}

/// Texts, by their words alone: how they are broken into lines does not matter.
#[derive(Default)]
struct Texts(BTreeMap<String, (String, BTreeSet<String>)>);

impl Texts {
    fn add(&mut self, text: &str, of: &Component) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (_, components) = self
            .0
            .entry(words.join(" "))
            .or_insert_with(|| (text.trim_matches('\n').to_owned(), BTreeSet::new()));
        components.insert(format!("{} {}", of.name, of.version));
    }
}

/// All of them for one of the programs, by the name of its package.
///
/// # Errors
/// Cargo does not say what is built in, or something has no text that could go with it.
pub fn of(program: &str) -> Result<String> {
    let mut components = BTreeSet::new();
    let mut texts = Texts::default();
    for (component, folder) in crates(program)?
        .into_iter()
        .chain(page_packages(&root().join("ui"))?)
    {
        let found = texts_in(&folder)?;
        if found.is_empty() {
            texts.add(&declared(&component)?, &component);
        }
        for text in &found {
            texts.add(text, &component);
        }
        components.insert(component);
    }
    for (component, text) in by_hand()? {
        texts.add(&text, &component);
        components.insert(component);
    }
    Ok(document(program, &components, &texts))
}

fn document(program: &str, components: &BTreeSet<Component>, texts: &Texts) -> String {
    let mut text = format!(
        "What is built into {program} beside its own source, and under which licences.\n\n{} components, {} texts.\n\n",
        components.len(),
        texts.0.len()
    );
    for one in components {
        text.push_str(&format!(
            "{} {}  {}  {}\n",
            one.name, one.version, one.licence, one.source
        ));
    }
    for (words, of) in texts.0.values() {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        text.push_str(&format!(
            "\n{}\n{}\n\n{words}\n",
            "%".repeat(80),
            of.join(", ")
        ));
    }
    text
}

/// What a program is made of on this platform, with where each crate's source lies. Of build scripts nothing is built in; macros are
/// told with the rest.
fn crates(program: &str) -> Result<Vec<(Component, PathBuf)>> {
    let about = ask(Command::new("rustc").arg("-vV"))
        .ok_or_else(|| Failure::new("rustc does not say for what it builds"))?;
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or_default()
        .to_owned();
    let mut look = cargo();
    look.args([
        "metadata",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
        &host,
    ])
    .current_dir(root());
    let output = look.output()?;
    if !output.status.success() {
        return Err(
            Failure::new(format!("cargo metadata ended with {}", output.status))
                .hint(String::from_utf8_lossy(&output.stderr)),
        );
    }
    let graph: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Failure::new(format!("cargo metadata: {error}")))?;
    Ok(built_in(&graph, program))
}

/// The closure of what a program needs at run time, without the crates of this repository.
fn built_in(graph: &Value, program: &str) -> Vec<(Component, PathBuf)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&graph["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let needs: BTreeMap<String, Vec<String>> = list(&graph["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let of = list(&node["deps"])
                .iter()
                .filter(|need| {
                    list(&need["dep_kinds"])
                        .iter()
                        .any(|kind| kind["kind"].is_null())
                })
                .map(|need| text(&need["pkg"]))
                .collect();
            (text(&node["id"]), of)
        })
        .collect();
    let mut open: Vec<String> = packages
        .iter()
        .filter(|(_, package)| package["name"] == program && package["source"].is_null())
        .map(|(id, _)| id.clone())
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            open.extend(needs.get(&id).cloned().unwrap_or_default());
        }
    }
    seen.iter()
        .filter_map(|id| packages.get(id))
        .filter(|package| !package["source"].is_null())
        .map(|package| {
            let component = Component {
                name: text(&package["name"]),
                version: text(&package["version"]),
                licence: text(&package["license"]),
                source: text(&package["repository"]),
            };
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            (
                component,
                manifest.parent().map(Path::to_owned).unwrap_or_default(),
            )
        })
        .collect()
}

/// What the page imports, and what that depends on: an upper bound of what the bundler leaves in it.
fn page_packages(ui: &Path) -> Result<Vec<(Component, PathBuf)>> {
    let manifest = |folder: &Path| -> Result<Value> {
        let path = folder.join("package.json");
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::new(format!("{} cannot be read: {error}", path.display()))
                .hint("cargo xtask setup")
        })?;
        serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    };
    let names = |of: &Value| -> Vec<String> {
        of.as_object()
            .map(|of| of.keys().cloned().collect())
            .unwrap_or_default()
    };
    let mut sources = String::new();
    for file in crate::files::files_below(&[ui.join("src")])? {
        if !file.to_string_lossy().contains(".test.") {
            sources.push_str(&String::from_utf8_lossy(&fs::read(&file)?));
        }
    }
    let imported = |name: &String| {
        ["'", "\"", "/"]
            .iter()
            .any(|end| sources.contains(&format!(" '{name}{end}")))
            || name == "svelte"
    };
    let mut open: Vec<String> = names(&manifest(ui)?["devDependencies"])
        .into_iter()
        .filter(imported)
        .collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(name) = open.pop() {
        let folder = ui.join("node_modules").join(&name);
        if !seen.insert(name.clone()) {
            continue;
        }
        let about = manifest(&folder)?;
        open.extend(names(&about["dependencies"]));
        let source = &about["repository"];
        let source = source["url"]
            .as_str()
            .or(source.as_str())
            .unwrap_or_default();
        let component = Component {
            name,
            version: about["version"].as_str().unwrap_or_default().into(),
            licence: about["license"].as_str().unwrap_or_default().into(),
            source: source.trim_start_matches("git+").into(),
        };
        found.push((component, folder));
    }
    Ok(found)
}

/// The texts that lie in the source of a component, the same ones each time.
fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((place, depth)) = open.pop() {
        for entry in fs::read_dir(&place)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() {
                // Packages within a package are components of their own.
                if depth < DEEP && name != "node_modules" && !name.starts_with("test") {
                    open.push((entry.path(), depth + 1));
                }
            } else if is_licence(&name) && entry.metadata()?.len() <= MOST_BYTES {
                texts.push(String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
            }
        }
    }
    texts.sort();
    texts.dedup();
    Ok(texts)
}

/// `LICENSE`, `LICENSE-MIT`, `COPYING.txt`; no `license.rs`.
fn is_licence(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_text = matches!(ending, "" | "txt" | "md" | "rst")
        || ending.chars().any(|c| c.is_ascii_digit())
        || ending.contains("mit")
        || ending.contains("apache");
    is_text && NAMES.iter().any(|begin| name.starts_with(begin))
}

/// Where a component brings no text, that of the licence which it declared.
fn declared(component: &Component) -> Result<String> {
    let is = |id: &str| {
        component
            .licence
            .split(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | ')'))
            .any(|word| word == id)
    };
    let own = if is("Apache-2.0") {
        "LICENSE-APACHE"
    } else if is("MIT") {
        "LICENSE-MIT"
    } else if is("BSD-3-Clause") {
        "assets/package/BSD-3-Clause"
    } else if is("MPL-2.0") {
        // Only the window has such crates, and only Debian's packages have the window.
        "/usr/share/common-licenses/MPL-2.0"
    } else {
        return Err(Failure::new(format!(
            "{} {} ({}) brings no text of its licence",
            component.name, component.version, component.licence
        ))
        .hint("add the words of that licence to crates/xtask/src/package/licences.rs"));
    };
    let text = fs::read_to_string(root().join(own))?;
    // The holders of the rights are its authors, not ours.
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.starts_with("Copyright (c)") {
            true => format!("Copyright (c) the authors of {}", component.name),
            false => line.to_owned(),
        })
        .collect();
    Ok(lines.join("\n"))
}

/// What no list of dependencies names.
fn by_hand() -> Result<Vec<(Component, String)>> {
    let one = |name: &str, licence: &str, source: &str, text: String| {
        let component = Component {
            name: name.into(),
            version: String::new(),
            licence: licence.into(),
            source: source.into(),
        };
        (component, text)
    };
    Ok(vec![
        one(
            "Inter",
            "OFL-1.1",
            "https://github.com/rsms/inter",
            fs::read_to_string(root().join("assets/fonts/LICENSE"))?,
        ),
        one(
            "Rust's standard library",
            "MIT OR Apache-2.0",
            "https://github.com/rust-lang/rust",
            fs::read_to_string(root().join("LICENSE-APACHE"))?,
        ),
        one(
            "SQLite",
            "public domain",
            "https://sqlite.org",
            "The author of SQLite disclaims copyright to its source code. In place of a legal notice, it has a blessing.".into(),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_program_needs_at_run_time_is_built_in_and_nothing_else() {
        let package = |name: &str, source: Value| {
            json!({
                "id": name, "name": name, "version": "1.0.0", "license": "MIT", "repository": null, "source": source,
                "manifest_path": format!("/sources/{name}/Cargo.toml"),
            })
        };
        let need =
            |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let registry = json!("registry");
        let graph = json!({
            "packages": [
                package("bobbin", Value::Null), package("bobbin-core", Value::Null), package("serde", registry.clone()),
                package("cc", registry.clone()), package("tempfile", registry.clone()), package("tauri", registry),
            ],
            "resolve": { "nodes": [
                { "id": "bobbin", "deps": [need("bobbin-core", Value::Null), need("tempfile", json!("dev"))] },
                { "id": "bobbin-core", "deps": [need("serde", Value::Null), need("cc", json!("build"))] },
            ] },
        });
        let found = built_in(&graph, "bobbin");
        let names: Vec<&str> = found.iter().map(|(one, _)| one.name.as_str()).collect();
        assert_eq!(names, ["serde"]);
        assert_eq!(found[0].1, Path::new("/sources/serde"));
    }

    #[test]
    fn files_of_licences_are_known_by_their_names() {
        for name in [
            "license",
            "license-mit",
            "copying.txt",
            "unlicense",
            "license_apache-2.0",
            "licence.md",
            "license.mit",
        ] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["license.rs", "readme.md", "notice.html", "mylicense"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn one_text_stands_once_with_all_that_it_is_of() {
        let of = |name: &str| Component {
            name: name.into(),
            version: "1".into(),
            licence: "MIT".into(),
            source: String::new(),
        };
        let mut texts = Texts::default();
        texts.add("Free to\nuse", &of("b"));
        texts.add("Free  to use\n", &of("a"));
        texts.add("Not free", &of("a"));
        let components = [of("a"), of("b")].into();
        let text = document("bobbin", &components, &texts);
        assert!(
            text.contains("2 components, 2 texts") && text.contains("a 1, b 1\n\nFree to\nuse\n"),
            "{text}"
        );
    }

    #[test]
    fn a_component_without_a_text_has_that_of_what_it_declared() {
        let of = |licence: &str| {
            declared(&Component {
                name: "a".into(),
                version: "1".into(),
                licence: licence.into(),
                source: String::new(),
            })
        };
        assert!(of("MIT/Apache-2.0").unwrap().contains("Apache License"));
        assert!(of("MIT").unwrap().contains("the authors of a"));
        assert!(of("BSD-3-Clause").unwrap().contains("the authors of a"));
        assert!(of("WTFPL").is_err());
    }
}
