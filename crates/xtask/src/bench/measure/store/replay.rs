//! Batches as the plugin sent them in recorded runs, from as many clusters as are wanted.

use std::{
    fs::File,
    io::{BufReader, Read},
};

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::super::batches::gzip;
use crate::{
    files::root,
    generate::draw::STORIES,
    process::{Failure, Result},
};

/// A recorded batch: its header, and the lines below.
struct Recorded {
    header: Value,
    lines: String,
}

/// `count` gzip bodies of `clusters` copies of the recorded ones, in turn; when one is over, another one begins. `run` keeps
/// the ids of repeats apart.
///
/// # Errors
/// The recorded story cannot be read.
pub fn make(clusters: usize, count: usize, run: usize) -> Result<Vec<Vec<u8>>> {
    let story = read()?;
    let bodies = (0..count).map(|index| {
        let (place, round) = (index / clusters, index % clusters);
        let batch = &story[place % story.len()];
        let copy = round + clusters * (place / story.len());
        gzip(&named(batch, &format!("{run:04x}{copy:06x}")))
    });
    Ok(bodies.collect())
}

/// The batch as another cluster would send it.
fn named(batch: &Recorded, copy: &str) -> String {
    let mut header = batch.header.clone();
    for name in ["cluster_id", "instance_id"] {
        let own = header[name].as_str().unwrap_or_default();
        header[name] = format!("{own}{copy}").into();
    }
    format!("{header}\n{}", batch.lines)
}

fn read() -> Result<Vec<Recorded>> {
    let mut text = String::new();
    for name in STORIES {
        let file = File::open(root().join(name))?;
        MultiGzDecoder::new(BufReader::new(file)).read_to_string(&mut text)?;
    }
    let mut story: Vec<Recorded> = Vec::new();
    for line in text.lines() {
        let header: Option<Value> = line
            .contains("\"header\"")
            .then(|| serde_json::from_str(line).ok())
            .flatten()
            .filter(|value: &Value| value["kind"] == "header");
        match (header, story.last_mut()) {
            (Some(header), _) => story.push(Recorded {
                header,
                lines: String::new(),
            }),
            (None, Some(batch)) => {
                batch.lines.push_str(line);
                batch.lines.push('\n');
            }
            (None, None) => {}
        }
    }
    if story.is_empty() {
        return Err(Failure::new("the stories have no batch"));
    }
    Ok(story)
}

#[cfg(test)]
mod tests {
    use bobbin_core::wire::decode;

    use super::*;

    #[test]
    fn recorded_batches_can_be_read_as_those_of_other_clusters() {
        let story = read().unwrap();
        assert!(story.len() > 20);
        for batch in &story {
            let decoded = decode(named(batch, "0001000002").as_bytes()).unwrap();
            assert!(decoded.header.cluster_id.ends_with("0001000002"));
            assert!(!decoded.lines.is_empty());
        }
    }
}
