//! Links into the page: `bobbin://cluster/7?tab=workers`, as a notice, a chat or a document has them.
//!
//! Anybody can write one, so a link names a place to look at and nothing else. Places where something is changed, sent or run are
//! not reached by one, and what a place may be told is a list. The page writes links as well: those in `tests/fixtures/links.txt`
//! say all that it can, and its tests and these read them.

use super::App;
use super::answers::find_cluster;
use crate::model::visible::plain;
use crate::{Error, Result};

const SCHEME: &str = "bobbin:";
const LONGEST: usize = 2_000;
/// As long as a scheduler's id may be.
const LONGEST_ID: usize = 80;

/// A view, and what a link may say of it.
const VIEWS: [(&str, &[&str]); 7] = [
    (
        "overview",
        &["days", "by", "measure", "form", "bin", "rows", "pick"],
    ),
    (
        "clusters",
        &[
            "text",
            "states",
            "label",
            "user",
            "from",
            "to",
            "order",
            "direction",
            "columns",
        ],
    ),
    (
        "cluster",
        &[
            "tab",
            "from",
            "to",
            "range",
            "text",
            "sort",
            "workers",
            "functions",
            "direction",
            "charts",
            "heat",
            "sum",
            "e-field",
            "e-value",
            "item",
        ],
    ),
    (
        "profile",
        &[
            "ids",
            "prefix",
            "search",
            "functions",
            "direction",
            "text",
            "states",
            "label",
            "user",
            "from",
            "to",
        ],
    ),
    ("compare", &["a", "b", "per", "show", "columns"]),
    ("exceptions", &["text", "from", "to"]),
    ("costs", &["days", "by", "across"]),
];

/// What of it names clusters: as a cluster's own link does, or by their numbers here.
const CLUSTERS: [(&str, &str); 5] = [
    ("compare", "a"),
    ("compare", "b"),
    ("profile", "ids"),
    ("profile", AGAINST),
    ("cluster", AGAINST),
];

/// Other clusters, as a place within this one: `f-against=ids%3D7%26prefix%3Dinc`.
const AGAINST: &str = "f-against";

/// What a graph and a flame graph of a view may be told, besides.
const DRAWN: [(&str, &[&str]); 2] = [("cluster", &["g-", "f-"]), ("profile", &["f-"])];

/// Whether somebody means a link, and no file.
pub fn is_link(word: &str) -> bool {
    let scheme = word.get(..SCHEME.len());
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

/// The address in the page that a link means, such as `#/1/cluster/7?tab=workers`.
///
/// # Errors
/// [`Error::Invalid`] for what is no link to a place that can be looked at; [`Error::NotFound`] if the cluster is not here.
pub fn follow_link(app: &App, link: &str) -> Result<String> {
    let wrong = |reason: &str| Error::Invalid {
        what: "link",
        value: plain(&link.chars().take(80).collect::<String>()),
        reason: reason.into(),
    };
    if !is_link(link) {
        return Err(wrong("it does not start with bobbin://"));
    }
    if link.len() > LONGEST {
        return Err(wrong("it is too long"));
    }
    let rest = link[SCHEME.len()..].trim_start_matches('/');
    if let Some(odd) = rest.chars().find(|c| !is_plain(*c)) {
        return Err(wrong(&format!("it holds {}", plain(&odd.to_string()))));
    }
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let view = parts.next().unwrap_or("overview");
    let (view, known) = VIEWS
        .iter()
        .find(|(name, _)| *name == view)
        .ok_or_else(|| wrong("links can open an overview, clusters, a cluster, a comparison, exceptions or costs"))?;
    let id = parts.next();
    if parts.next().is_some() || (*view == "cluster") != id.is_some() {
        return Err(wrong("it names no place"));
    }
    let mut address = format!("#/1/{view}");
    if let Some(id) = id {
        if id.len() > LONGEST_ID || id.contains('%') {
            return Err(wrong("it names no cluster"));
        }
        address += &format!("/{}", find_cluster(app, id)?.id);
    }
    let drawn = DRAWN
        .iter()
        .find(|(name, _)| name == view)
        .map_or(&[][..], |(_, drawn)| drawn);
    let mut said = said(query, known, drawn).map_err(|reason| wrong(&reason))?;
    for pair in &mut said {
        let named = CLUSTERS
            .into_iter()
            .filter(|(of, _)| of == view)
            .find_map(|(_, name)| Some((name, pair.strip_prefix(name)?.strip_prefix('=')?)));
        if let Some((name, value)) = named {
            *pair = format!("{name}={}", numbered(app, name, value)?);
        }
    }
    if !said.is_empty() {
        address += &format!("?{}", said.join("&"));
    }
    Ok(address)
}

/// What a link says of its place, as the page's address has it.
fn said(query: &str, known: &[&str], drawn: &[&str]) -> std::result::Result<Vec<String>, String> {
    let mut said = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !known.contains(&name) && !drawn.iter().any(|prefix| name.starts_with(prefix)) {
            return Err(format!("there is no {name} here"));
        }
        if hides_something(value) {
            return Err(format!("{name} contains invisible characters"));
        }
        match (name, value.split_once("..")) {
            ("range", Some((from, to))) => {
                said.push(format!("from={from}"));
                said.push(format!("to={to}"));
            }
            ("range", None) => return Err("a range is two times, for example 1..2".into()),
            _ => said.push(pair.into()),
        }
    }
    Ok(said)
}

/// The same, with the numbers that clusters have here. What is no cluster's name, such as `baseline`, stays.
fn numbered(app: &App, name: &str, value: &str) -> Result<String> {
    let (before, ids, behind) = if name == AGAINST {
        let Some(begin) = ["ids%3D", "ids%3d", "ids="]
            .into_iter()
            .find_map(|ids| Some(value.find(ids)? + ids.len()))
        else {
            return Ok(value.into());
        };
        let end = value[begin..]
            .find("%26")
            .map_or(value.len(), |end| begin + end);
        (&value[..begin], &value[begin..end], &value[end..])
    } else {
        ("", value, "")
    };
    let ids = ids.replace("%2c", "%2C").replace(',', "%2C");
    let mut numbers = Vec::new();
    for id in ids.split("%2C") {
        let stays = id.is_empty() || id == "baseline" || id.bytes().all(|b| b.is_ascii_digit());
        numbers.push(match stays {
            true => id.to_owned(),
            false => find_cluster(app, id)?.id.to_string(),
        });
    }
    Ok(format!("{before}{}{behind}", numbers.join("%2C")))
}

/// What an address is written with.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~%/?&=+*,:;!'()@".contains(c)
}

/// Whether a percent stands for nothing, or for a control character.
fn hides_something(value: &str) -> bool {
    value.match_indices('%').any(|(at, _)| {
        let code = value
            .get(at + 1..at + 3)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        code.is_none_or(|code| code < 0x20 || code == 0x7f)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    fn bench() -> Bench {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        bench
    }

    #[test]
    fn a_link_leads_to_its_place() {
        let bench = bench();
        for (link, address) in [
            ("bobbin://cluster/1", "#/1/cluster/1"),
            ("bobbin://cluster/Scheduler-1", "#/1/cluster/1"),
            ("BOBBIN:cluster/1/", "#/1/cluster/1"),
            (
                "bobbin://cluster/1?tab=workers&range=5..9",
                "#/1/cluster/1?tab=workers&from=5&to=9",
            ),
            (
                "bobbin://cluster/1?tab=profile&from=5&charts=prefixes&heat=processing&f-zoom=7&g-side=up",
                "#/1/cluster/1?tab=profile&from=5&charts=prefixes&heat=processing&f-zoom=7&g-side=up",
            ),
            (
                "bobbin://overview?by=user&pick=%3Dana%402026-11-20",
                "#/1/overview?by=user&pick=%3Dana%402026-11-20",
            ),
            ("bobbin://", "#/1/overview"),
            (
                "bobbin://clusters?states=stalled&text=user%3Aana",
                "#/1/clusters?states=stalled&text=user%3Aana",
            ),
            (
                "bobbin://compare?a=baseline&b=1",
                "#/1/compare?a=baseline&b=1",
            ),
            ("bobbin://costs/", "#/1/costs"),
            // What agents and notebooks are given.
            (
                "bobbin://clusters?text=has%3Aexception",
                "#/1/clusters?text=has%3Aexception",
            ),
            ("bobbin://cluster/1?tab=groups", "#/1/cluster/1?tab=groups"),
            (
                "bobbin://cluster/1?tab=exceptions",
                "#/1/cluster/1?tab=exceptions",
            ),
            (
                "bobbin://cluster/1?tab=profile",
                "#/1/cluster/1?tab=profile",
            ),
            ("bobbin://cluster/1?tab=cost", "#/1/cluster/1?tab=cost"),
            (
                "bobbin://costs?by=user&across=project",
                "#/1/costs?by=user&across=project",
            ),
        ] {
            assert_eq!(follow_link(&bench.app, link).unwrap(), address, "{link}");
        }
    }

    #[test]
    fn whatever_the_page_writes_leads_back_to_it_and_nothing_else_is_taken() {
        const WRITTEN: &str = include_str!("../../../../tests/fixtures/links.txt");
        let bench = bench();
        for link in WRITTEN.lines() {
            let address = link
                .replace("bobbin://", "#/1/")
                .replace("Scheduler-1", "1");
            assert_eq!(follow_link(&bench.app, link).unwrap(), address, "{link}");
        }
        for (view, known) in VIEWS {
            let link = WRITTEN
                .lines()
                .find(|link| link["bobbin://".len()..].split(['/', '?']).next() == Some(view))
                .unwrap_or_else(|| panic!("no link to {view}"));
            // A range is written by agents and notebooks: the page has two moments.
            for name in known.iter().filter(|name| **name != "range") {
                assert!(
                    link.contains(&format!("?{name}=")) || link.contains(&format!("&{name}=")),
                    "{name} of {view}"
                );
            }
        }
    }

    #[test]
    fn several_clusters_are_named_as_one_is() {
        let bench = bench();
        for (link, address) in [
            (
                "bobbin://compare?a=Scheduler-1&b=7&per=task",
                "#/1/compare?a=1&b=7&per=task",
            ),
            (
                "bobbin://compare?a=1&b=7&show=all&columns=telling",
                "#/1/compare?a=1&b=7&show=all&columns=telling",
            ),
            (
                "bobbin://profile?ids=1&f-against=of%3Dclusters%26text%3Duser%253Aana",
                "#/1/profile?ids=1&f-against=of%3Dclusters%26text%3Duser%253Aana",
            ),
            (
                "bobbin://profile?ids=Scheduler-1%2C7,Scheduler-1",
                "#/1/profile?ids=1%2C7%2C1",
            ),
            (
                "bobbin://profile?ids=1&f-against=ids%3DScheduler-1%2C7%26prefix%3Dinc",
                "#/1/profile?ids=1&f-against=ids%3D1%2C7%26prefix%3Dinc",
            ),
            (
                "bobbin://cluster/Scheduler-1?f-against=ids=Scheduler-1&tab=profile",
                "#/1/cluster/1?f-against=ids=1&tab=profile",
            ),
            (
                "bobbin://cluster/1?f-against=prefix%3Dinc",
                "#/1/cluster/1?f-against=prefix%3Dinc",
            ),
        ] {
            assert_eq!(follow_link(&bench.app, link).unwrap(), address, "{link}");
        }
    }

    #[test]
    fn a_cluster_that_is_not_here_is_said_so() {
        for (link, told) in [
            ("cluster/99?tab=workers", "there is no cluster 99"),
            (
                "compare?a=Scheduler-9&b=1",
                "there is no cluster Scheduler-9",
            ),
            (
                "cluster/1?f-against=ids%3DScheduler-9",
                "there is no cluster Scheduler-9",
            ),
        ] {
            let error = follow_link(&bench().app, &format!("bobbin://{link}")).unwrap_err();
            assert_eq!(error.to_string(), told);
        }
    }

    #[test]
    fn a_hostile_link_is_refused_with_a_sentence() {
        let bench = bench();
        let long = format!("bobbin://clusters?text={}", "a".repeat(LONGEST));
        for (link, told) in [
            ("https://example.org", "does not start with bobbin://"),
            ("bobbin://sql?sql=select%201", "links can open"),
            ("bobbin://review?ids=1", "links can open"),
            ("bobbin://settings", "links can open"),
            ("bobbin://connect", "links can open"),
            (
                "bobbin://beside/0123456789abcdef0123456789abcdef/cluster/1",
                "links can open",
            ),
            ("bobbin://../../etc/passwd", "links can open"),
            ("bobbin://cluster", "names no place"),
            ("bobbin://overview/1", "names no place"),
            ("bobbin://cluster/1/delete", "names no place"),
            ("bobbin://cluster/%31", "names no cluster"),
            ("bobbin://cluster/1?delete=yes", "there is no delete here"),
            ("bobbin://costs?f-zoom=1", "there is no f-zoom here"),
            ("bobbin://cluster/1?text=%00", "invisible characters"),
            ("bobbin://cluster/1?text=%0d%0a", "invisible characters"),
            ("bobbin://cluster/1?text=%", "invisible characters"),
            ("bobbin://cluster/1?range=5", "two times"),
            ("bobbin://cluster/1#/1/sql", "it holds #"),
            ("bobbin://cluster/1\"onload", "it holds \""),
            ("bobbin://cluster/1\u{202e}", "it holds ‹U+202E›"),
            ("bobbin://<script>", "it holds <"),
            (&long, "too long"),
        ] {
            let error = follow_link(&bench.app, link).unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }), "{link}: {error}");
            assert!(error.to_string().contains(told), "{link}: {error}");
            assert!(error.to_string().len() < 500);
        }
    }
}
