//! One box over everything: names, tags, notes, prefixes, functions in profiles, types of exceptions; and what is sealed, as far as the key is here.
//! What is found has each word of what is looked for, in any order. Names of task groups are not kept by themselves: one that is
//! pasted finds its prefix. A hit in code shows no secret.

use rusqlite::{Connection, Row, named_params};

use super::filter::phrase;
use super::page::{escape_like, offset};
use super::types::{
    SealedLook, SealedText, SearchAnswer, SearchGroup, SearchHit, SearchKind, SearchRequest,
};
use super::unseal::Unsealer;
use crate::scan::{OwnWords, Scanner, replaced};
use crate::seal::{Keys, Place};
use crate::{Error, Result};

/// Hits of a kind, unless asked for more.
const HITS: u32 = 6;
const MOST_HITS: u32 = 50;
/// Letters of what is looked for.
const LETTERS: usize = 200;
/// Sealed texts of a kind that are opened for one answer: each takes some microseconds, and its cluster's key a hundred.
/// Whoever looks further than the newest waits for it.
const OPENED: u32 = 200;
const OPENED_FURTHER: u32 = 1_000;
/// Letters shown before and behind a match.
const BEFORE: usize = 32;
const AFTER: usize = 96;
/// What is shown of a secret, as where the page shows code.
const HIDDEN: &str = "‹secret›";

/// What is looked for.
struct Needle {
    /// The first word as a part of a longer text, and the others, as JSON.
    first: String,
    others: String,
    /// All of it as the beginning of a text.
    begun: String,
    /// For the index, where a word is long enough for it.
    phrases: Option<String>,
    /// Words that are too short for the index, as JSON.
    short: String,
    /// The first of them.
    first_short: String,
    /// Each word in lower case; the first is what is shown as the match.
    words: Vec<Vec<char>>,
    limit: u32,
}

/// Looks for a text.
///
/// # Errors
/// [`Error::Invalid`] if it is too long; [`Error::Sqlite`].
pub(crate) fn search(
    db: &Connection,
    keys: &Keys,
    request: &SearchRequest,
) -> Result<SearchAnswer> {
    let kinds: &[SearchKind] = match request.sealed {
        false => &[
            SearchKind::Cluster,
            SearchKind::Tag,
            SearchKind::Note,
            SearchKind::Function,
            SearchKind::Frame,
            SearchKind::Exception,
        ],
        true => &[SearchKind::Message, SearchKind::Code],
    };
    let mut answer = SearchAnswer {
        groups: Vec::new(),
        searched: kinds.to_vec(),
        locked: request.sealed && keys.private().is_err(),
        sealed: Vec::new(),
    };
    let Some(needle) = Needle::new(&request.text, request.limit)? else {
        return Ok(answer);
    };
    let mut unsealer = Unsealer::new(keys);
    let totals: (u64, u64) = match request.sealed {
        true => db
            .prepare_cached(include_str!("search_sealed.sql"))?
            .query_one([], |row| Ok((row.get("messages")?, row.get("code")?)))?,
        false => (0, 0),
    };
    for kind in kinds {
        let mut hits = match kind {
            SearchKind::Cluster => texts(db, "about", &needle)?,
            SearchKind::Tag => texts(db, "tags", &needle)?,
            SearchKind::Note => texts(db, "note", &needle)?,
            SearchKind::Function => functions(db, request)?,
            SearchKind::Frame => names(db, include_str!("search_frames.sql"), &needle)?,
            SearchKind::Exception => names(db, include_str!("search_exceptions.sql"), &needle)?,
            SearchKind::Message | SearchKind::Code => {
                let (before, total) = match kind {
                    SearchKind::Message => (request.messages_looked, totals.0),
                    _ => (request.code_looked, totals.1),
                };
                let (hits, read) = match answer.locked {
                    true => (Vec::new(), 0),
                    false => sealed(db, &mut unsealer, *kind, &needle, before)?,
                };
                answer.sealed.push(SealedLook {
                    kind: *kind,
                    looked: before.saturating_add(read),
                    total,
                });
                hits
            }
        };
        let truncated = hits.len() > needle.limit as usize;
        hits.truncate(needle.limit as usize);
        if !hits.is_empty() {
            answer.groups.push(SearchGroup {
                kind: *kind,
                hits,
                truncated,
            });
        }
    }
    Ok(answer)
}

impl Needle {
    fn new(text: &str, limit: u32) -> Result<Option<Self>> {
        let text: String = text
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let text = text.trim();
        if text.chars().count() > LETTERS {
            return Err(Error::Invalid {
                what: "search",
                value: text.chars().take(20).collect(),
                reason: format!("it is longer than {LETTERS} characters"),
            });
        }
        if text.is_empty() {
            return Ok(None);
        }
        let (long, short): (Vec<&str>, Vec<&str>) = text
            .split_whitespace()
            .partition(|word| word.chars().count() >= 3);
        let part = |word: &str| format!("%{}%", escape_like(word));
        let short: Vec<String> = short.into_iter().map(part).collect();
        let mut parts = text.split_whitespace().map(part);
        let first = parts.next().unwrap_or_default();
        let phrases: Vec<String> = long.into_iter().map(phrase).collect();
        Ok(Some(Self {
            first,
            others: serde_json::to_string(&parts.collect::<Vec<_>>())?,
            begun: format!("{}%", escape_like(text)),
            phrases: (!phrases.is_empty()).then(|| phrases.join(" AND ")),
            short: serde_json::to_string(&short)?,
            first_short: short.into_iter().next().unwrap_or_default(),
            words: text.split_whitespace().map(lower).collect(),
            limit: match limit {
                0 => HITS,
                asked => asked.min(MOST_HITS),
            },
        }))
    }
}

/// Prefixes by what a text may be the name of, the longest first: a shorter one is looked for where the store has none of it.
fn functions(db: &Connection, request: &SearchRequest) -> Result<Vec<SearchHit>> {
    let sql = include_str!("search_functions.sql");
    for name in names_in(&request.text) {
        let Some(needle) = Needle::new(&name, request.limit)? else {
            continue;
        };
        let found = names(db, sql, &needle)?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// A text as it is, and of a key or the name of a task group what its prefix may be: what stands for it where names are off at
/// source, and its prefix as Dask splits it. Only a long hexadecimal word tells a name from words that were typed:
/// `('read-parquet-5f3a9c01', 0)`.
fn names_in(text: &str) -> Vec<String> {
    let text = text.trim();
    let name = match text.strip_prefix('(') {
        Some(key) => key.split(',').next().unwrap_or_default(),
        None => text,
    };
    let name = name.trim_matches(['(', ')', '"', '\'']);
    let is_token = |word: &str| {
        word.len() >= 8
            && word.bytes().all(|letter| letter.is_ascii_hexdigit())
            && word.bytes().any(|letter| letter.is_ascii_digit())
    };
    let is_digest =
        |word: &str| word.len() == 8 && word.bytes().all(|letter| letter.is_ascii_hexdigit());
    let mut found = vec![text.to_owned()];
    let words: Vec<&str> = name.split('-').collect();
    if words.len() > 1 && words[0] == "task" && is_digest(words[1]) {
        found.push(words[..2].join("-"));
    }
    if words.len() > 1 && words.last().is_some_and(|last| is_token(last)) {
        let kept = words[1..]
            .iter()
            .take_while(|word| !is_token(word) && word.chars().all(char::is_alphabetic));
        found.push(words[..=kept.count()].join("-"));
    }
    found.dedup();
    found
}

fn lower(text: &str) -> Vec<char> {
    text.chars().map(lower_letter).collect()
}

/// One letter for one, so that places stay.
fn lower_letter(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// Clusters by one column of their texts.
fn texts(db: &Connection, column: &str, needle: &Needle) -> Result<Vec<SearchHit>> {
    let limit = needle.limit + 1;
    let read = |row: &Row<'_>| {
        let text: String = row.get("text")?;
        hit(row, "started_micros", &text, needle)
    };
    let hits = match &needle.phrases {
        Some(phrases) => {
            let matched = format!("{{{column}}} : ({phrases})");
            db.prepare_cached(include_str!("search_text.sql"))?
                .query_map(
                    named_params! { ":column": column, ":match": matched, ":short": needle.short, ":limit": limit },
                    read,
                )?
                .collect::<rusqlite::Result<_>>()?
        }
        None => db
            .prepare_cached(include_str!("search_short.sql"))?
            .query_map(
                named_params! {
                    ":column": column,
                    ":first": needle.first_short,
                    ":short": needle.short,
                    ":limit": limit,
                },
                read,
            )?
            .collect::<rusqlite::Result<_>>()?,
    };
    Ok(hits)
}

/// Texts that come again and again, each with the newest cluster that has it.
fn names(db: &Connection, sql: &str, needle: &Needle) -> Result<Vec<SearchHit>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut parameters: Vec<(&str, &dyn rusqlite::ToSql)> =
        vec![(":first", &needle.first), (":words", &needle.others)];
    let limit = needle.limit + 1;
    parameters.push((":limit", &limit));
    if sql.contains(":begun") {
        parameters.push((":begun", &needle.begun));
    }
    let hits = statement.query_map(&*parameters, |row| {
        let text: String = row.get("text")?;
        Ok(SearchHit {
            item: row.get("item")?,
            clusters: row.get("clusters")?,
            ..hit(row, "at_micros", &text, needle)?
        })
    })?;
    Ok(hits.collect::<rusqlite::Result<_>>()?)
}

fn hit(row: &Row<'_>, at: &str, text: &str, needle: &Needle) -> rusqlite::Result<SearchHit> {
    let [before, matched, after] =
        around(text, needle).unwrap_or([String::new(), String::new(), text.into()]);
    Ok(SearchHit {
        cluster_id: row.get("id")?,
        cluster: row.get("shown_name")?,
        before,
        matched,
        after,
        at_micros: row.get(at)?,
        clusters: None,
        item: None,
    })
}

/// Opens sealed texts of a kind behind so many of the newest, as many as fit into the time of an answer; also says how
/// many. One more hit than is asked for is not among them: whoever goes on finds it.
fn sealed(
    db: &Connection,
    unsealer: &mut Unsealer,
    kind: SearchKind,
    needle: &Needle,
    before: u64,
) -> Result<(Vec<SearchHit>, u64)> {
    let (sql, table, column) = match kind {
        SearchKind::Code => (
            include_str!("search_code.sql"),
            "computation_code",
            "frames_sealed",
        ),
        _ => (
            include_str!("search_messages.sql"),
            "exception",
            "message_sealed",
        ),
    };
    let mut statement = db.prepare_cached(sql)?;
    let limit = match before {
        0 => OPENED,
        _ => OPENED_FURTHER,
    };
    let scanner = (kind == SearchKind::Code)
        .then(|| Scanner::new(OwnWords::default()))
        .transpose()?;
    let mut rows = statement.query(named_params! { ":limit": limit, ":offset": offset(before) })?;
    let (mut hits, mut read) = (Vec::new(), 0);
    while let Some(row) = rows.next()?
        && hits.len() <= needle.limit as usize
    {
        let (scheduler_id, item): (String, String) = (row.get("scheduler_id")?, row.get("item")?);
        let place = Place {
            table,
            column,
            row: &item,
            cluster: &scheduler_id,
        };
        let texts = match (kind, row.get::<_, Option<Vec<u8>>>("sealed")?) {
            (SearchKind::Code, Some(bytes)) => {
                let frames = unsealer.code(db, place, &bytes)?;
                frames
                    .unwrap_or_default()
                    .into_iter()
                    .map(|frame| frame.code)
                    .collect()
            }
            (_, bytes) => match unsealer.text(db, place, bytes)? {
                SealedText::Text { text } => vec![text],
                _ => Vec::new(),
            },
        };
        let hit = texts.iter().find_map(|text| match &scanner {
            Some(scanner) => hidden(text, needle, scanner),
            None => around(text, needle),
        });
        if let Some([before, matched, after]) = hit {
            hits.push(SearchHit {
                cluster_id: row.get("id")?,
                cluster: row.get("shown_name")?,
                before,
                matched,
                after,
                at_micros: row.get("at_micros")?,
                clusters: None,
                item: Some(item),
            });
        }
        read += u64::from(hits.len() <= needle.limit as usize);
    }
    Ok((hits, read))
}

/// The same without what looks like a secret. All of the text is looked at, as a part of a secret may look like none; and what
/// is looked for may be in one.
fn hidden(text: &str, needle: &Needle, scanner: &Scanner) -> Option<[String; 3]> {
    around(text, needle)?;
    let shown = scanner
        .scan(text)
        .ok()
        .and_then(|found| around(&replaced(text, &found, |_| HIDDEN.into()), needle));
    Some(shown.unwrap_or_else(|| [String::new(), HIDDEN.into(), String::new()]))
}

/// The line with the first word, cut to what is shown; nothing if a word is missing.
fn around(text: &str, needle: &Needle) -> Option<[String; 3]> {
    let letters: Vec<char> = text.chars().collect();
    let low: Vec<char> = letters.iter().copied().map(lower_letter).collect();
    let find = |word: &[char]| low.windows(word.len()).position(|window| window == word);
    let mut places = needle
        .words
        .iter()
        .map(|word| find(word).map(|at| (at, word.len())));
    let (from, length) = places.next()??;
    if places.any(|place| place.is_none()) {
        return None;
    }
    let to = from + length;
    let line = letters[..from]
        .iter()
        .rposition(|letter| *letter == '\n')
        .map_or(0, |at| at + 1);
    let end = letters[to..]
        .iter()
        .position(|letter| *letter == '\n')
        .map_or(letters.len(), |at| to + at);
    let first = line.max(from.saturating_sub(BEFORE));
    let last = end.min(to + AFTER);
    let mut before: String = letters[first..from].iter().collect();
    let mut after: String = letters[to..last].iter().collect();
    if first > line {
        before.insert(0, '…');
    } else {
        before = before.trim_start().to_owned();
    }
    if last < end {
        after.push('…');
    }
    Some([before, letters[from..to].iter().collect(), after])
}
