//! Of which package a function is, by its file.

/// Code of the user: files that are of no package.
pub(crate) const YOURS: &str = "your code";
/// Python itself: its standard library, and what is built into it.
const PYTHON: &str = "python";
/// Cells of notebooks, and what was typed.
const NOTEBOOK: &str = "notebook";
/// The folder is not told, so that the package is not known.
const UNKNOWN: &str = "unknown";

/// The package of a file; the words above where it is of none.
pub(crate) fn library(file: &str) -> &str {
    if file.starts_with('<') {
        let interactive = ["<ipython", "<stdin", "<string", "<cell"];
        let typed = interactive.iter().any(|start| file.starts_with(start));
        return if typed { NOTEBOOK } else { PYTHON };
    }
    if file.contains("ipykernel") {
        return NOTEBOOK;
    }
    if let Some(inside) = installed(file) {
        let package = inside.split(['/', '\\']).next().unwrap_or(inside);
        return package.strip_suffix(".py").unwrap_or(package);
    }
    if standard(file).is_some() {
        PYTHON
    } else if file.contains(['/', '\\']) {
        YOURS
    } else {
        UNKNOWN
    }
}

/// A file without the folders of the machine: two installs of a package have the same.
pub(crate) fn place(file: &str) -> &str {
    installed(file).or_else(|| standard(file)).unwrap_or(file)
}

/// The part of a path inside of the folder of packages.
fn installed(file: &str) -> Option<&str> {
    let after = ["site-packages", "dist-packages"]
        .iter()
        .find_map(|folder| {
            let at = file.rfind(folder)? + folder.len();
            file.get(at..)
        })?;
    after
        .strip_prefix(['/', '\\'])
        .filter(|rest| !rest.is_empty())
}

/// The part of a path inside of Python's own library: `…/lib/python3.11/` and `…\Lib\`.
fn standard(file: &str) -> Option<&str> {
    if let Some(at) = file.find("/lib/python3") {
        let rest = file.get(at + "/lib/".len()..)?;
        return rest.split_once('/').map(|(_, rest)| rest);
    }
    file.find("\\Lib\\")
        .and_then(|at| file.get(at + "\\Lib\\".len()..))
}

/// A path as a module is called: `pandas.core.frame`.
pub(crate) fn module(file: &str) -> String {
    let place = place(file);
    let stem = place.strip_suffix(".py").unwrap_or(place);
    let dotted = stem.replace(['/', '\\'], ".");
    dotted
        .strip_suffix(".__init__")
        .unwrap_or(&dotted)
        .to_owned()
}
