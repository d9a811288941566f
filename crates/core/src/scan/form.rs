//! The forms in which vendors make their tokens: a beginning, letters, and how many.

use std::ops::Range;

use super::rule::Rule;

/// Letters that a token may have behind its beginning.
#[derive(Clone, Copy)]
enum Letters {
    Alnum,
    /// And `_`.
    Word,
    /// And `_` and `-`.
    Url,
    /// And `-`.
    Dash,
    /// And `_`, `-` and `.`.
    Dotted,
    /// And `+`, `/` and `=`.
    Base64,
    Hex,
    /// And `-`.
    HexDash,
    Upper,
    /// Small letters and digits.
    Lower,
    /// And `/`, as in the path of an address.
    Path,
    /// Parts of an address, a hash and a word, with `:` between them.
    Join,
    /// A PEM block, to its end.
    Pem,
    /// Three parts of letters with dots between them.
    Jwt,
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Alnum => alnum,
            Self::Word => alnum || byte == b'_',
            Self::Url => alnum || matches!(byte, b'_' | b'-'),
            Self::Dash => alnum || byte == b'-',
            Self::Dotted | Self::Jwt => alnum || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => alnum || matches!(byte, b'+' | b'/' | b'='),
            Self::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Self::HexDash => Self::Hex.has(byte) || byte == b'-',
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::Path => alnum || matches!(byte, b'/' | b'_' | b'-'),
            Self::Join => alnum || b"._-[]:".contains(&byte),
            Self::Pem => true,
        }
    }
}

/// One form.
pub(super) struct Form {
    pub(super) rule: Rule,
    pub(super) what: &'static str,
    pub(super) start: &'static str,
    letters: Letters,
    least: usize,
    most: usize,
}

/// The longest body that is looked at.
const MOST: usize = 4_096;
/// The longest first line of a private key.
const PEM_HEAD: usize = 86;

impl Form {
    /// Where the token is whose beginning is at `from`, and how far it was looked for.
    pub(super) fn range(&self, text: &str, from: usize) -> (Option<Range<usize>>, usize) {
        let bytes = text.as_bytes();
        // `task_` is no beginning of `sk_`.
        let inside =
            from > 0 && (bytes[from - 1].is_ascii_alphanumeric() || bytes[from - 1] == b'_');
        let begins_with_letter = self.start.as_bytes()[0].is_ascii_alphanumeric();
        // One of our own is so long that it is none by chance, whatever stands before it.
        let own = self.rule == Rule::Bobbin;
        if inside && begins_with_letter && !own && !escaped(bytes, from) {
            return (None, from);
        }
        let body = from + self.start.len();
        match self.letters {
            Letters::Pem => return pem(text, from),
            Letters::Jwt => return jwt(bytes, from),
            _ => {}
        }
        let rest = &bytes[body..bytes.len().min(body + MOST)];
        let length = rest
            .iter()
            .position(|&byte| !self.letters.has(byte))
            .unwrap_or(rest.len());
        let telling = rest[..length].iter().any(|byte| *byte != rest[0]);
        let fits = |length: &usize| (self.least..=self.most).contains(length);
        // In `load-TOKEN-17` it ends where the letters that it may have do not.
        let ends = |at: &usize| fits(at) && !rest[*at].is_ascii_alphanumeric();
        let found = Some(length)
            .filter(fits)
            .or_else(|| (0..length).rev().find(ends))
            .filter(|_| telling);
        (found.map(|found| from..body + found), body + length)
    }
}

/// How far one form was looked for. A token may begin inside of what was taken for another, but not everywhere in it: text that
/// is all beginnings would be looked at over and over.
#[derive(Clone, Copy, Default)]
pub(super) struct Walk {
    to: usize,
    again: u8,
}

/// Beginnings inside of what was looked at already.
const AGAIN: u8 = 16;

impl Walk {
    /// Where the token of `form` is whose beginning is at `from`.
    pub(super) fn range(&mut self, form: &Form, text: &str, from: usize) -> Option<Range<usize>> {
        self.again = if from < self.to {
            self.again.saturating_add(1)
        } else {
            0
        };
        if self.again > AGAIN {
            return None;
        }
        let (found, to) = form.range(text, from);
        self.to = self.to.max(to);
        found
    }
}

/// Whether the letter before is that of an escape, such as the `n` of `\n`.
fn escaped(bytes: &[u8], from: usize) -> bool {
    from >= 2 && bytes[from - 2] == b'\\' && matches!(bytes[from - 1], b'n' | b't' | b'r')
}

/// A block of a private key, to its last line or to where the text is cut.
fn pem(text: &str, from: usize) -> (Option<Range<usize>>, usize) {
    let rest = &text[from..];
    let line = &rest.as_bytes()[..rest.len().min(PEM_HEAD)];
    let behind = |at: usize, mark: &[u8]| {
        line.get(at..)
            .and_then(|line| line.windows(mark.len()).position(|some| some == mark))
            .map(|found| at + found)
    };
    let Some(head) = behind(0, b"-----\\").or_else(|| behind(5, b"-----")) else {
        return (None, from);
    };
    if behind(0, b"PRIVATE KEY").is_none_or(|at| at > head) {
        return (None, from);
    }
    let end = rest[head + 5..].find("-----END").map_or(rest.len(), |at| {
        let last = head + 5 + at;
        let tail = rest[last + 5..]
            .find("-----")
            .map_or(rest.len(), |at| last + 5 + at + 5);
        tail.min(rest.len())
    });
    (Some(from..from + end), from + end)
}

/// `eyJ….eyJ….…`
fn jwt(bytes: &[u8], from: usize) -> (Option<Range<usize>>, usize) {
    let rest = &bytes[from..bytes.len().min(from + MOST * 2)];
    let length = rest
        .iter()
        .position(|&byte| !Letters::Jwt.has(byte))
        .unwrap_or(rest.len());
    let mut parts = rest[..length].split(|byte| *byte == b'.');
    let mut long = || parts.next().is_some_and(|part| part.len() >= 12);
    let found = long() && long() && parts.next().is_some();
    (found.then(|| from..from + length), from + length)
}

const fn form(
    what: &'static str,
    start: &'static str,
    letters: Letters,
    least: usize,
    most: usize,
) -> Form {
    Form {
        rule: Rule::Vendor,
        what,
        start,
        letters,
        least,
        most,
    }
}

/// Bobbin's own: however long.
const fn own(what: &'static str, start: &'static str, letters: Letters, least: usize) -> Form {
    Form {
        rule: Rule::Bobbin,
        ..form(what, start, letters, least, MOST)
    }
}

use Letters::{Alnum, Base64, Dash, Dotted, Hex, HexDash, Join, Lower, Path, Upper, Url, Word};

/// Taken from what the vendors say of their own tokens.
pub(super) const FORMS: &[Form] = &[
    own("Bobbin token", "bobbin", Lower, 52),
    own("Bobbin token of a hub", "bobbin_token_", Word, 52),
    own("Bobbin invite", "bobbin_invite_", Word, 52),
    own("Bobbin join code", "bobbin-join:", Join, 68),
    Form {
        rule: Rule::PrivateKey,
        ..form("private key", "-----BEGIN", Letters::Pem, 0, MOST)
    },
    Form {
        rule: Rule::PrivateKey,
        ..form("age key", "AGE-SECRET-KEY-1", Upper, 50, 70)
    },
    Form {
        rule: Rule::Jwt,
        ..form("JSON web token", "eyJ", Letters::Jwt, 0, MOST)
    },
    form("AWS access key", "AKIA", Upper, 16, 16),
    form("AWS access key", "ASIA", Upper, 16, 16),
    form("AWS access key", "ABIA", Upper, 16, 16),
    form("AWS access key", "ACCA", Upper, 16, 16),
    form("AWS Bedrock key", "ABSK", Base64, 100, 280),
    form("Google API key", "AIza", Url, 35, 35),
    form("Google access token", "ya29.", Url, 20, MOST),
    form("Google client secret", "GOCSPX-", Url, 20, 40),
    form("Google storage key", "GOOG1E", Upper, 50, 60),
    form("GitHub token", "ghp_", Alnum, 36, 255),
    form("GitHub token", "gho_", Alnum, 36, 255),
    form("GitHub token", "ghu_", Alnum, 36, 255),
    form("GitHub token", "ghs_", Alnum, 36, 255),
    form("GitHub token", "ghr_", Alnum, 36, 255),
    form("GitHub token", "github_pat_", Word, 60, 255),
    form("GitLab token", "glpat-", Dotted, 20, 300),
    form("GitLab token", "gldt-", Url, 20, 300),
    form("GitLab token", "glrt-", Url, 20, 300),
    form("GitLab token", "glptt-", Url, 20, 300),
    form("GitLab token", "glcbt-", Url, 20, 300),
    form("GitLab token", "glsoat-", Url, 20, 300),
    form("GitLab token", "glagent-", Url, 20, 300),
    form("Slack token", "xoxb-", Dash, 20, 250),
    form("Slack token", "xoxp-", Dash, 20, 250),
    form("Slack token", "xoxa-", Dash, 20, 250),
    form("Slack token", "xoxr-", Dash, 20, 250),
    form("Slack token", "xoxs-", Dash, 20, 250),
    form("Slack token", "xoxe-", Dash, 20, 250),
    form("Slack token", "xapp-", Dash, 20, 250),
    form("Slack webhook", "hooks.slack.com/services/", Path, 30, 100),
    form(
        "Discord webhook",
        "discord.com/api/webhooks/",
        Path,
        40,
        150,
    ),
    form("Stripe key", "sk_live_", Alnum, 16, 255),
    form("Stripe key", "sk_test_", Alnum, 16, 255),
    form("Stripe key", "rk_live_", Alnum, 16, 255),
    form("Stripe key", "rk_test_", Alnum, 16, 255),
    form("Stripe webhook secret", "whsec_", Base64, 24, 255),
    form("OpenAI key", "sk-proj-", Url, 20, 255),
    form("OpenAI key", "sk-svcacct-", Url, 20, 255),
    form("OpenAI key", "sk-admin-", Url, 20, 255),
    form("OpenAI key", "sk-", Alnum, 32, 64),
    form("OpenRouter key", "sk-or-v1-", Hex, 64, 64),
    form("Anthropic key", "sk-ant-", Url, 20, 255),
    form("Hugging Face token", "hf_", Alnum, 30, 50),
    form("Hugging Face token", "api_org_", Alnum, 30, 50),
    form("Replicate token", "r8_", Alnum, 36, 40),
    form("Groq key", "gsk_", Alnum, 48, 60),
    form("Perplexity key", "pplx-", Alnum, 40, 60),
    form("xAI key", "xai-", Alnum, 70, 90),
    form("LangSmith key", "lsv2_pt_", Word, 40, 60),
    form("LangSmith key", "lsv2_sk_", Word, 40, 60),
    form("Pinecone key", "pcsk_", Word, 50, 100),
    form("Weights & Biases key", "wandb_v1_", Word, 30, 120),
    form("PyPI token", "pypi-AgE", Url, 50, 300),
    form("npm token", "npm_", Alnum, 36, 36),
    form("RubyGems key", "rubygems_", Hex, 48, 48),
    form("Docker token", "dckr_pat_", Url, 27, 36),
    form("Docker token", "dckr_oat_", Url, 27, 40),
    form("Databricks token", "dapi", HexDash, 32, 34),
    form("Databricks token", "dose", HexDash, 32, 34),
    form("Prefect key", "pnu_", Alnum, 36, 36),
    form("Prefect key", "pnb_", Alnum, 36, 36),
    form("dbt token", "dbtc_", Url, 20, 80),
    form("dbt token", "dbtu_", Url, 20, 80),
    form("DigitalOcean token", "dop_v1_", Hex, 64, 64),
    form("DigitalOcean token", "doo_v1_", Hex, 64, 64),
    form("DigitalOcean token", "dor_v1_", Hex, 64, 64),
    form("SendGrid key", "SG.", Dotted, 60, 70),
    form("Mailgun key", "key-", Hex, 32, 32),
    form("Twilio key", "SK", Hex, 32, 32),
    form("Shopify token", "shpat_", Hex, 32, 32),
    form("Shopify token", "shpca_", Hex, 32, 32),
    form("Shopify token", "shppa_", Hex, 32, 32),
    form("Shopify token", "shpss_", Hex, 32, 32),
    form("Square token", "sq0atp-", Url, 22, 30),
    form("Square token", "sq0csp-", Url, 40, 50),
    form("New Relic key", "NRAK-", Upper, 27, 27),
    form("Grafana token", "glc_", Base64, 32, 400),
    form("Grafana token", "glsa_", Word, 40, 50),
    form("Sentry token", "sntrys_", Dotted, 60, 400),
    form("Sentry token", "sntryu_", Hex, 64, 64),
    form("Postman key", "PMAK-", Dash, 50, 70),
    form("Linear key", "lin_api_", Alnum, 40, 40),
    form("Notion token", "ntn_", Alnum, 40, 60),
    form("Atlassian token", "ATATT3", Base64, 60, 300),
    form("Atlassian token", "ATCTT3", Base64, 60, 300),
    form("Doppler token", "dp.pt.", Alnum, 40, 50),
    form("Doppler token", "dp.st.", Dotted, 40, 80),
    form("Vault token", "hvs.", Url, 24, 300),
    form("Vault token", "hvb.", Url, 100, 300),
    form("Pulumi token", "pul-", Hex, 40, 40),
    form("PlanetScale password", "pscale_pw_", Dotted, 32, 64),
    form("PlanetScale token", "pscale_tkn_", Dotted, 32, 64),
    form("Supabase token", "sbp_", Hex, 40, 40),
    form("Supabase key", "sb_secret_", Url, 20, 60),
    form("Neon key", "napi_", Alnum, 40, 80),
    form("Heroku key", "HRKU-AA", Url, 50, 70),
    form("Figma token", "figd_", Url, 36, 60),
    form("Tailscale key", "tskey-auth-", Dash, 20, 80),
    form("Tailscale key", "tskey-api-", Dash, 20, 80),
    form("1Password token", "ops_eyJ", Base64, 100, MOST),
    form("Artifactory key", "AKCp", Alnum, 60, 80),
    form("Artifactory token", "cmVmdGtu", Alnum, 50, 70),
    form("Alibaba key", "LTAI", Alnum, 12, 20),
    form("Tencent key", "AKID", Alnum, 32, 36),
    form("Telegram token", "AAE", Url, 32, 32),
    form("Airtable token", "pat.", Hex, 60, 70),
    form("Facebook token", "EAAC", Alnum, 80, 300),
    form("crates.io token", "cio", Alnum, 32, 32),
    form("Fly token", "fo1_", Url, 40, 60),
    form("Fly token", "FlyV1 fm2_", Base64, 40, MOST),
    form("Cloudflare key", "v1.0-", Dash, 140, 200),
    form("Azure Storage key", "AccountKey=", Base64, 60, 100),
    form("Azure access key", "SharedAccessKey=", Base64, 40, 60),
    form("Together key", "tgp_v1_", Url, 40, 60),
    form("RunPod key", "rpa_", Alnum, 40, 60),
];
