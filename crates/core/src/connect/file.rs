//! The text of the file that `connect` writes into Dask's configuration folder.

use std::path::Path;

use super::dask::Argv;

/// Its name: late in the alphabet, since Dask lets later files win.
pub const NAME: &str = "zz-bobbin.yaml";

/// The first line, by which the file is known again.
pub const FIRST_LINE: &str = "# Written by `bobbin connect`; `bobbin disconnect` takes it away.";

/// What the file depends on.
#[derive(Clone, Debug)]
pub struct Content<'a> {
    pub data_dir: &'a str,
    pub plugin: &'a str,
    /// Preloads of other files, which this file's list would otherwise replace.
    pub others: &'a [String],
    /// `preload-argv` of other files, where it counts entries.
    pub argv: Option<&'a Argv>,
    /// Whether to ask clients to capture code: nobody else said how much.
    pub capture_code: bool,
}

/// The script that Dask runs in each scheduler: text, so that no file has to be there for a cluster to start.
///
/// Plain ASCII without `$`: Dask writes it to a file in the locale's encoding and expands variables in it.
pub fn script(plugin: &str) -> String {
    format!(
        "\
# Bobbin: this scheduler reports to the app on this machine (`bobbin disconnect` ends that).
async def dask_setup(scheduler):
    try:
        import sys, types
        module = types.ModuleType('bobbin_preloaded')
        module.__file__ = {path}
        with open(module.__file__, encoding='utf-8') as file:
            code = compile(file.read(), module.__file__, 'exec', dont_inherit=True)
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        done = module.dask_setup(scheduler)
        if done is not None:
            await done
    except (Exception, SystemExit) as error:
        import logging
        logging.getLogger('distributed.bobbin').warning('Bobbin does not see this cluster: %r', error)
",
        path = python_text(plugin)
    )
}

impl Content<'_> {
    /// The whole file.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{FIRST_LINE}\n# Every scheduler of this user on this machine loads the plugin below; without it the cluster starts all the same.\n\
             bobbin:\n  data-dir: {}\ndistributed:\n  scheduler:\n    preload:\n",
            yaml_text(self.data_dir)
        );
        if !self.others.is_empty() {
            text.push_str("      # Of other configuration files: Dask would take this list instead of theirs.\n");
        }
        for other in self.others {
            text.push_str(&format!("      - {}\n", yaml_text(other)));
        }
        text.push_str("      - |\n");
        text.push_str(&indented(&script(self.plugin), 8));
        if let Some(Argv::OneEach(lists)) = self.argv {
            text.push_str("    preload-argv:\n");
            for list in lists {
                let words: Vec<String> = list.iter().map(|word| yaml_text(word)).collect();
                text.push_str(&format!("      - [{}]\n", words.join(", ")));
            }
            text.push_str("      - []\n");
        }
        if self.capture_code {
            text.push_str("  diagnostics:\n    computations:\n      nframes: 2  # frames of the calling code that a client sends along\n");
        }
        text
    }
}

/// What to add to a file that Dask reads after ours.
pub fn lines_to_add(plugin: &str, others: &[String]) -> String {
    let mut text = String::from("distributed:\n  scheduler:\n    preload:\n");
    for other in others {
        text.push_str(&format!("      - {}\n", yaml_text(other)));
    }
    text.push_str("      - |\n");
    text.push_str(&indented(&script(plugin), 8));
    text
}

fn indented(text: &str, by: usize) -> String {
    text.lines()
        .map(|line| format!("{}{line}\n", " ".repeat(by)))
        .collect()
}

/// Whether Dask hands a path on as it is: it expands variables in every value.
pub fn survives_expansion(path: &Path) -> Option<&str> {
    path.to_str()
        .filter(|text| !text.contains('$') && !text.chars().any(char::is_control))
}

/// A double-quoted YAML scalar in ASCII.
fn yaml_text(text: &str) -> String {
    quoted(text, '"', |c, out| {
        let n = u32::from(c);
        out.push_str(&if n > 0xffff {
            format!("\\U{n:08x}")
        } else {
            format!("\\u{n:04x}")
        });
    })
}

/// A single-quoted Python literal in ASCII.
fn python_text(text: &str) -> String {
    quoted(text, '\'', |c, out| {
        out.push_str(&format!("\\U{:08x}", u32::from(c)))
    })
}

fn quoted(text: &str, quote: char, escape: impl Fn(char, &mut String)) -> String {
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c => escape(c, &mut out),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml_rust2::{Yaml, YamlLoader};

    fn content<'a>(others: &'a [String], argv: Option<&'a Argv>) -> Content<'a> {
        Content {
            data_dir: "/home/é \"x\"",
            plugin: "/home/é 'x'/bobbin.py",
            others,
            argv,
            capture_code: true,
        }
    }

    fn preloads(text: &str) -> Vec<Yaml> {
        YamlLoader::load_from_str(text).unwrap()[0]["distributed"]["scheduler"]["preload"]
            .clone()
            .into_vec()
            .unwrap()
    }

    #[test]
    fn the_file_is_yaml_that_keeps_other_preloads_in_front() {
        let others = [
            "my.module".to_owned(),
            "print('a b')\n# \u{1F9F5}".to_owned(),
        ];
        let text = content(&others, None).text();
        assert!(text.is_ascii());
        let list = preloads(&text);
        assert_eq!(list[0].as_str(), Some("my.module"));
        assert_eq!(list[1].as_str(), Some(others[1].as_str()));
        assert_eq!(
            list[2].as_str(),
            Some(script("/home/é 'x'/bobbin.py").as_str())
        );
        let yaml = &YamlLoader::load_from_str(&text).unwrap()[0];
        assert_eq!(yaml["bobbin"]["data-dir"].as_str(), Some("/home/é \"x\""));
        assert_eq!(
            yaml["distributed"]["diagnostics"]["computations"]["nframes"].as_i64(),
            Some(2)
        );
    }

    #[test]
    fn arguments_stay_as_many_as_preloads() {
        let others = ["m".to_owned()];
        let argv = Argv::OneEach(vec![vec!["--port".into(), "1".into()]]);
        let text = content(&others, Some(&argv)).text();
        let lists = YamlLoader::load_from_str(&text).unwrap()[0]["distributed"]["scheduler"]["preload-argv"].clone();
        assert_eq!(lists.into_vec().map(|l| l.len()), Some(2));
    }

    #[test]
    fn dask_takes_the_script_for_text_and_expands_nothing_in_it() {
        let text = script("/home/é/bobbin.py");
        assert!(
            text.is_ascii() && text.contains(' ') && !text.ends_with(".py") && !text.contains('$')
        );
        assert_eq!(survives_expansion(Path::new("/home/$USER/x")), None);
    }

    #[test]
    fn the_lines_to_add_by_hand_say_the_same() {
        assert_eq!(
            preloads(&lines_to_add("/p", &["m".to_owned()]))[1].as_str(),
            Some(script("/p").as_str())
        );
    }
}
