//! What looks like a secret in a text that is about to be sealed: looked for while the text is at hand, so that it is known while
//! the private key is away. Only what it looks like is stored, and a hash of it under a key of this run.
//!
//! In the writer, in the transaction of the batch: nowhere else is the text plain. So a batch is looked at up to a number of
//! bytes, and what is beyond is told as not looked at. Whatever is shared is looked at to its end once more, on the staged bytes.

use rusqlite::named_params;

use super::Context;
use crate::Result;
use crate::scan::{self, OwnWords, Scanner};
use crate::seal::FingerprintKey;

/// Bytes of one text that are looked at: more than any function has.
const OF_TEXT: usize = 64 << 10;
/// Of one batch: some milliseconds.
const OF_BATCH: usize = 512 << 10;
/// Of one row, the most that are noted.
const OF_ROW: usize = 50;

/// Where a text is.
#[derive(Clone, Copy)]
pub(super) enum Within {
    Code,
    Exception,
}

impl Within {
    fn word(self) -> &'static str {
        match self {
            Within::Code => "code",
            Within::Exception => "exception",
        }
    }
}

/// Says the reader's own words, where they are others than the last time.
pub(crate) type Words = Box<dyn FnMut() -> Option<OwnWords> + Send>;

/// Looks for secrets, batch by batch.
pub(super) struct Secrets {
    /// None would be a fault of its tables, which a test rules out.
    scanner: Option<Scanner>,
    /// Of this run alone: what stands in the store must not let anybody try guesses at a value. None where the system gave no
    /// random bytes: then values of a row are told apart by their order.
    key: Option<FingerprintKey>,
    words: Words,
    /// Whether they were asked for in this batch.
    asked: bool,
    left: usize,
}

impl Secrets {
    pub(super) fn new(words: Words) -> Self {
        let key = FingerprintKey::of_this_run()
            .inspect_err(|error| tracing::error!(%error, "Bobbin cannot tell equal values apart"))
            .ok();
        let scanner = Scanner::new(OwnWords::default())
            .inspect_err(
                |error| tracing::error!(%error, "Bobbin does not check incoming data for secrets"),
            )
            .ok();
        Self {
            scanner,
            key,
            words,
            asked: false,
            left: OF_BATCH,
        }
    }

    /// A batch begins.
    pub(super) fn begin(&mut self) {
        self.left = OF_BATCH;
        self.asked = false;
    }

    /// Most batches have no text, and ask for nothing.
    fn ask_for_words(&mut self) {
        if std::mem::replace(&mut self.asked, true) {
            return;
        }
        if let (Some(scanner), Some(words)) = (&mut self.scanner, (self.words)()) {
            scanner.know(words);
        }
    }

    /// Notes what is in the texts of a row, in place of what was noted of those before.
    ///
    /// # Errors
    /// [`crate::Error::Sqlite`].
    pub(super) fn note<'a>(
        &mut self,
        context: &Context<'_>,
        within: Within,
        row_id: &str,
        texts: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        self.ask_for_words();
        let (cluster, within) = (context.cluster, within.word());
        context
            .db
            .prepare_cached(include_str!("sql/secret_clear.sql"))?
            .execute(named_params! {
                ":cluster_id": cluster, ":within": within, ":row_id": row_id,
            })?;
        let mut noted = 0;
        for text in texts {
            let looked = self.looked_at(text);
            let found = match &self.scanner {
                Some(scanner) => scanner.scan(looked)?,
                None => Vec::new(),
            };
            let mut rows: Vec<(Vec<u8>, &str, &str)> = found
                .iter()
                .enumerate()
                .map(|(place, one)| {
                    let name = match &self.key {
                        Some(key) => scan::fingerprint(key, &looked[one.at.clone()]).to_vec(),
                        None => (place + 1).to_be_bytes().to_vec(),
                    };
                    (name, one.rule.word(), one.what)
                })
                .take(OF_ROW.saturating_sub(noted))
                .collect();
            noted += rows.len();
            if looked.len() < text.len() {
                rows.push((Vec::new(), "unlooked", "text that was not looked at"));
            }
            for (fingerprint, rule, what) in rows {
                context
                    .db
                    .prepare_cached(include_str!("sql/secret_new.sql"))?
                    .execute(named_params! {
                        ":cluster_id": cluster,
                        ":within": within,
                        ":row_id": row_id,
                        ":fingerprint": fingerprint,
                        ":rule": rule,
                        ":what": what,
                    })?;
            }
        }
        Ok(())
    }

    /// As much of a text as there is time for.
    fn looked_at<'a>(&mut self, text: &'a str) -> &'a str {
        let most = text.len().min(OF_TEXT).min(self.left);
        let looked = &text[..text.floor_char_boundary(most)];
        self.left -= looked.len();
        looked
    }
}
