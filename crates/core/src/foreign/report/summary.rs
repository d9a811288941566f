//! The first tab of a report: a list in words.

use super::escape::unescaped;

/// What the list says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Summary {
    pub(super) tasks: Option<u64>,
    pub(super) workers: Option<u64>,
    pub(super) threads: Option<u64>,
    pub(super) memory_limit_bytes: Option<u64>,
    pub(super) address: Option<String>,
    pub(super) dask: Option<String>,
    pub(super) distributed: Option<String>,
    /// Of the block that was reported on.
    pub(super) code: Option<String>,
}

const TITLE: &str = "Dask Performance Report";
/// As long as code may be on the wire.
const CODE_BYTES: usize = 256 << 10;

impl Summary {
    /// Of a text as Bokeh escaped it; none if this is another one.
    pub(super) fn read(escaped: &str) -> Option<Self> {
        if !escaped.contains(TITLE) {
            return None;
        }
        let html = unescaped(escaped);
        let (head, code) = match html.split_once("Calling Code") {
            Some((head, code)) => (head, Some(code)),
            None => (&*html, None),
        };
        let mut summary = Self::default();
        for item in head.split("<li>").skip(1) {
            let item = item.split("</li>").next().unwrap_or_default();
            let Some((name, value)) = item.split_once(':') else {
                continue;
            };
            summary.put(name.trim(), value.trim());
        }
        summary.code = code.and_then(code_of);
        Some(summary)
    }

    fn put(&mut self, name: &str, value: &str) {
        let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
        match name {
            "number of tasks" => self.tasks = value.parse().ok(),
            "Workers" => self.workers = value.parse().ok(),
            "Threads" => self.threads = value.parse().ok(),
            "Memory" => self.memory_limit_bytes = bytes(value),
            "Address" => self.address = text(),
            "Dask Version" => self.dask = text(),
            "Dask.Distributed Version" => self.distributed = text(),
            _ => {}
        }
    }
}

/// What stands between the first `<pre>` and the last `</pre>`: the code is not escaped, and may hold such words itself.
fn code_of(html: &str) -> Option<String> {
    let begin = html.find("<pre>")? + "<pre>".len();
    let end = html.rfind("</pre>").filter(|&end| end >= begin)?;
    let code = html[begin..end].trim_matches(['\n', '\r']).trim_end();
    if code.trim().is_empty() || code.contains("<Code not available>") {
        return None;
    }
    Some(code[..code.floor_char_boundary(CODE_BYTES)].to_owned())
}

/// `1.86 GiB`, as `dask.utils.format_bytes` rounds it.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    let scale = match unit {
        "B" => 1.0,
        "kiB" => 1024.0,
        "MiB" => 1024_f64.powi(2),
        "GiB" => 1024_f64.powi(3),
        "TiB" => 1024_f64.powi(4),
        "PiB" => 1024_f64.powi(5),
        _ => return None,
    };
    let bytes = number * scale;
    (0.0..9e15).contains(&bytes).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_and_the_code_is_taken_as_it_is() {
        let html = "<h1> Dask Performance Report </h1> <ul><li> number of tasks: 50 </li>\n<li> compute time: 1.4 s </li></ul>
            <ul><li> Address: tcp://127.0.0.1:42435 </li><li> Workers: 2 </li><li> Threads: 4 </li><li> Memory: 1.86 GiB </li>
            <li> Dask Version: 2022.10.0 </li><li> Dask.Distributed Version: 2022.10.1 </li></ul>
            <h2> Calling Code </h2><pre>\nprint(\"</pre> <li> Workers: 9 </li>\")\nx < 3\n        </pre>";
        let read = Summary::read(html).unwrap();
        assert_eq!(
            (read.tasks, read.workers, read.threads),
            (Some(50), Some(2), Some(4))
        );
        assert_eq!(read.memory_limit_bytes, Some(1_997_159_792));
        assert_eq!(read.address.as_deref(), Some("tcp://127.0.0.1:42435"));
        assert_eq!(
            (read.dask.as_deref(), read.distributed.as_deref()),
            (Some("2022.10.0"), Some("2022.10.1"))
        );
        assert_eq!(
            read.code.as_deref(),
            Some("print(\"</pre> <li> Workers: 9 </li>\")\nx < 3")
        );
        assert_eq!(Summary::read("<h1> Another </h1>"), None);
    }

    #[test]
    fn sizes_are_those_of_dask() {
        assert_eq!(bytes("0 B"), Some(0));
        assert_eq!(bytes("2.00 kiB"), Some(2048));
        for text in ["GiB", "1 GB", "-1 GiB", "NaN GiB", "1e300 PiB"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
