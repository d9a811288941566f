//! Secrets, and a search for them in any form in which they could lie open.

use std::path::PathBuf;

use super::Sandbox;

/// Secrets with their forms. All are looked for at once, so that a whole store is searched in a second.
#[derive(Default)]
pub struct Secrets {
    forms: Vec<(String, Vec<u8>)>,
    /// The numbers of forms by their first two bytes.
    by_start: Vec<Vec<usize>>,
}

impl Secrets {
    pub fn new() -> Self {
        Self {
            forms: Vec::new(),
            by_start: vec![Vec::new(); 1 << 16],
        }
    }

    /// Adds a secret as it is, in hexadecimal digits, in base64, and as UTF-16.
    pub fn add(&mut self, name: &str, secret: &[u8]) {
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let wide = secret.iter().flat_map(|byte| [*byte, 0]).collect();
        self.add_form(name, "as it is", secret.to_vec());
        self.add_form(name, "in upper hexadecimal", digits.to_uppercase().into());
        self.add_form(name, "in hexadecimal", digits.into());
        self.add_form(name, "in UTF-16", wide);
        // The letters that do not depend on what stands before and behind, for each of the three places.
        for skipped in 0..3 {
            let mut padded = vec![0; skipped];
            padded.extend(secret);
            let text = base64(&padded);
            let (from, to) = ((skipped * 8).div_ceil(6), padded.len() * 8 / 6);
            self.add_form(name, "in base64", text[from..to].into());
        }
    }

    fn add_form(&mut self, name: &str, form: &str, bytes: Vec<u8>) {
        self.by_start[start(&bytes, 0)].push(self.forms.len());
        self.forms.push((format!("{name} {form}"), bytes));
    }

    /// Those that can be read in `bytes`.
    pub fn within(&self, bytes: &[u8]) -> Vec<&str> {
        let mut found = Vec::new();
        for at in 0..bytes.len().saturating_sub(1) {
            for number in &self.by_start[start(bytes, at)] {
                let (name, form) = &self.forms[*number];
                if bytes[at..].starts_with(form) && !found.contains(&name.as_str()) {
                    found.push(name);
                }
            }
        }
        found
    }

    /// Those that can be read in a file of this user, but for the files `except`.
    pub fn in_files(&self, sandbox: &Sandbox, except: &[PathBuf]) -> Vec<String> {
        let mut found = Vec::new();
        for root in ["home", "tmp", "work"] {
            let root = sandbox.path(root);
            for (name, bytes) in Sandbox::contents(&root) {
                let path = root.join(name);
                let Some(bytes) = bytes.filter(|_| !except.contains(&path)) else {
                    continue;
                };
                let readable = self.within(&bytes);
                found.extend(
                    readable
                        .iter()
                        .map(|what| format!("{what} in {}", path.display())),
                );
            }
        }
        found
    }
}

fn start(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]))
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::new();
    for chunk in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        text.extend([18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift) as usize & 63]));
    }
    text
}
