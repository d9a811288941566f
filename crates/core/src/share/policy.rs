//! A team's policy, `bobbin-policy.toml`: it can only make narrower what a person tells.

use std::path::Path;

use serde::Deserialize;

use super::class::{Choice, FieldClass, Identities, Level};
use super::stage::{Category, Decision, PolicyRule, PolicySaid};
use crate::install::at;
use crate::query::parse_filter;
use crate::{Error, Result};

/// What the file is called, in the folder of the install.
pub(crate) const FILE: &str = "bobbin-policy.toml";
/// A longer one is no policy.
const LONGEST: u64 = 1 << 20;

/// As the file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    team: Option<String>,
    level: Option<Level>,
    real_identities: Option<bool>,
    must_drop: Vec<String>,
    must_mask: Vec<String>,
    may_send: Option<Vec<String>>,
    propose: Option<String>,
}

/// A policy that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Policy {
    path: String,
    /// As the file has it.
    text: String,
    team: Option<String>,
    level: Option<Level>,
    real_identities: bool,
    must_drop: Vec<Rule>,
    must_mask: Vec<Rule>,
    may_send: Option<Vec<Rule>>,
    propose: Option<String>,
}

/// A category, or those of its values that look so: `hosts:*.corp.example`.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    category: Category,
    pattern: Option<String>,
}

impl Policy {
    /// The one in `path`; none where there is no file.
    ///
    /// # Errors
    /// [`Error::Invalid`] for one that cannot be read: then nothing is staged. [`Error::TooLarge`], [`Error::Io`].
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Where a link stands, somebody wanted a policy.
                return match path.is_symlink() {
                    false => Ok(None),
                    true => Err(Error::Invalid {
                        what: "policy",
                        value: path.display().to_string(),
                        reason: "it is a link to a file that is not there".into(),
                    }),
                };
            }
            Err(error) => return Err(at(path)(error)),
            Ok(found) if found.len() > LONGEST => {
                return Err(Error::TooLarge {
                    what: "a policy",
                    limit: LONGEST,
                });
            }
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(path).map_err(at(path))?;
        Self::parse(&path.display().to_string(), &text).map(Some)
    }

    /// # Errors
    /// [`Error::Invalid`], which names what is wrong.
    pub(crate) fn parse(path: &str, text: &str) -> Result<Self> {
        let wrong = |reason: String| Error::Invalid {
            what: "policy",
            value: path.into(),
            reason,
        };
        let written: Written =
            toml::from_str(text).map_err(|error| wrong(error.message().to_owned()))?;
        let rules = |list: &[String]| {
            list.iter()
                .map(|rule| Rule::parse(rule))
                .collect::<std::result::Result<Vec<_>, _>>()
        };
        Ok(Self {
            path: path.into(),
            text: text.into(),
            team: written.team,
            level: written.level,
            real_identities: written.real_identities.unwrap_or(true),
            must_drop: rules(&written.must_drop).map_err(wrong)?,
            must_mask: rules(&written.must_mask).map_err(wrong)?,
            may_send: written
                .may_send
                .as_deref()
                .map(rules)
                .transpose()
                .map_err(wrong)?,
            propose: match written.propose {
                Some(filter) => {
                    parse_filter(&filter)
                        .map_err(|error| wrong(format!("propose: {}", Error::from(error))))?;
                    Some(filter)
                }
                None => None,
            },
        })
    }

    /// As the file has it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What a policy forbids that the one before let through, in words; nothing where it is no stricter.
    pub(crate) fn stricter(before: Option<&Self>, now: Option<&Self>) -> Vec<String> {
        let Some(now) = now else {
            return Vec::new();
        };
        let mut changes = Vec::new();
        if let Some(most) = now.level
            && before
                .and_then(|before| before.level)
                .is_none_or(|before| most < before)
        {
            changes.push(format!("the highest level is now {}", most.word()));
        }
        if !now.real_identities && before.is_none_or(|before| before.real_identities) {
            changes.push("real_identities is now false".into());
        }
        let none = Vec::new();
        let added = |now: &[Rule], before: &[Rule], words: &str| -> Vec<String> {
            let new = now.iter().filter(|rule| !before.contains(rule));
            new.map(|rule| format!("{words} {}", rule.word())).collect()
        };
        changes.extend(added(
            &now.must_drop,
            before.map_or(&none, |before| &before.must_drop),
            "must_drop has",
        ));
        changes.extend(added(
            &now.must_mask,
            before.map_or(&none, |before| &before.must_mask),
            "must_mask has",
        ));
        match (
            before.and_then(|before| before.may_send.as_ref()),
            &now.may_send,
        ) {
            (_, None) => {}
            (None, Some(_)) => changes.push("there is now a may_send list".into()),
            (Some(before), Some(now)) => {
                changes.extend(added(before, now, "may_send no longer has"));
            }
        }
        changes
    }

    /// The choice, no wider than the policy allows.
    pub(crate) fn narrowed(&self, choice: Choice) -> Choice {
        Choice {
            level: self
                .level
                .map_or(choice.level, |most| choice.level.min(most)),
            identities: match self.real_identities {
                true => choice.identities,
                false => Identities::Aliases,
            },
        }
    }

    /// What must become of a value at least, and the rule that says so.
    pub(crate) fn least(&self, category: Category, value: &str) -> Option<(Decision, String)> {
        let meets = |rules: &[Rule]| {
            rules
                .iter()
                .find(|rule| rule.meets(category, value))
                .map(Rule::word)
        };
        if let Some(rule) = meets(&self.must_drop) {
            return Some((Decision::Drop, format!("must_drop {rule}")));
        }
        if let Some(allowed) = &self.may_send
            && meets(allowed).is_none()
        {
            return Some((
                Decision::Drop,
                format!("may_send without {}", category.word()),
            ));
        }
        meets(&self.must_mask).map(|rule| (Decision::Mask, format!("must_mask {rule}")))
    }

    /// Whether a person may tell values as they are that the level would not tell so.
    pub(crate) fn lets_keep(&self, category: Category) -> bool {
        let class = category.class();
        let real = self.real_identities || class != FieldClass::Identity;
        real && self.level.is_none_or(|most| most.tells(class))
    }

    /// The same for a category as a whole.
    pub(crate) fn least_of_all(&self, category: Category) -> Option<(Decision, String)> {
        let whole = |rules: &[Rule]| {
            rules
                .iter()
                .any(|rule| rule.category == category && rule.pattern.is_none())
        };
        if whole(&self.must_drop) {
            return Some((Decision::Drop, format!("must_drop {}", category.word())));
        }
        if let Some(allowed) = &self.may_send
            && !allowed.iter().any(|rule| rule.category == category)
        {
            return Some((
                Decision::Drop,
                format!("may_send without {}", category.word()),
            ));
        }
        whole(&self.must_mask).then(|| (Decision::Mask, format!("must_mask {}", category.word())))
    }

    /// In words.
    pub(crate) fn said(&self) -> PolicySaid {
        let listed = |kind: &str, rules: &[Rule]| -> Vec<PolicyRule> {
            let rule = |rule: &Rule| PolicyRule {
                kind: kind.into(),
                what: rule.word(),
            };
            rules.iter().map(rule).collect()
        };
        let mut rules = listed("must_drop", &self.must_drop);
        rules.extend(listed("must_mask", &self.must_mask));
        rules.extend(listed(
            "may_send",
            self.may_send.as_deref().unwrap_or_default(),
        ));
        PolicySaid {
            path: self.path.clone(),
            team: self.team.clone(),
            rules,
            level: self.level,
            real_identities: self.real_identities,
            propose: self.propose.clone(),
        }
    }
}

impl Rule {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let (word, pattern) = match text.split_once(':') {
            Some((word, pattern)) => (word, Some(pattern.to_owned())),
            None => (text, None),
        };
        let category = Category::from_word(word.trim()).ok_or_else(|| {
            let known: Vec<_> = Category::ALL.into_iter().map(Category::word).collect();
            let word: String = word.chars().take(40).collect();
            format!(
                "{word:?} is not a category; choose from {}",
                known.join(", ")
            )
        })?;
        Ok(Self { category, pattern })
    }

    fn word(&self) -> String {
        match &self.pattern {
            Some(pattern) => format!("{}:{pattern}", self.category.word()),
            None => self.category.word().into(),
        }
    }

    fn meets(&self, category: Category, value: &str) -> bool {
        self.category == category
            && self
                .pattern
                .as_deref()
                .is_none_or(|pattern| match ignores_case(category) {
                    true => looks_like(&value.to_lowercase(), &pattern.to_lowercase()),
                    false => looks_like(value, pattern),
                })
    }
}

/// Whether upper and lower case are the same name: systems write hosts and users in either.
fn ignores_case(category: Category) -> bool {
    matches!(
        category,
        Category::Hosts | Category::Addresses | Category::Workers | Category::Users
    )
}

/// Whether a value looks like a pattern, in which `*` stands for anything; in time that grows with the value times the stars.
fn looks_like(value: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| value.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn policy(text: &str) -> Result<Policy> {
        Policy::parse("bobbin-policy.toml", text)
    }

    #[test]
    fn a_link_to_no_file_is_a_policy_that_cannot_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let (path, linked) = (dir.path().join(FILE), dir.path().join("repository.toml"));
        assert_eq!(Policy::read(&path).unwrap(), None);
        std::os::unix::fs::symlink(&linked, &path).unwrap();
        let read = Policy::read(&path);
        assert!(matches!(read, Err(Error::Invalid { .. })), "{read:?}");
        std::fs::write(&linked, "team = 'data'\n").unwrap();
        assert!(Policy::read(&path).unwrap().is_some());
    }

    #[test]
    fn the_manual_s_example_is_one_and_the_manual_has_every_category() {
        let manual = include_str!("../../../../docs/privacy.md");
        let (_, example) = manual.split_once("```toml\n").unwrap();
        let (example, _) = example.split_once("```").unwrap();
        let said = policy(example).unwrap().said();
        assert_eq!(said.rules.len(), 5);
        assert_eq!(
            (said.level, said.real_identities),
            (Some(Level::Errors), false)
        );
        for category in Category::ALL {
            let word = format!("`{}`", category.word());
            assert!(manual.contains(&word), "{word}");
        }
    }

    #[test]
    fn it_only_makes_narrower() {
        let policy = policy(
            "team = 'data'\nlevel = 'errors'\nreal_identities = false\nmust_drop = ['code', 'hosts:*.corp.example']\nmust_mask = ['users']\n",
        )
        .unwrap();
        let wide = Choice {
            level: Level::Everything,
            identities: Identities::Real,
        };
        let narrow = Choice {
            level: Level::Metrics,
            identities: Identities::Aliases,
        };
        assert_eq!(
            policy.narrowed(wide),
            Choice {
                level: Level::Errors,
                identities: Identities::Aliases
            }
        );
        assert_eq!(policy.narrowed(narrow), narrow);
        let least = |category, value| policy.least(category, value).map(|(least, _)| least);
        assert_eq!(least(Category::Code, "x"), Some(Decision::Drop));
        assert_eq!(
            least(Category::Hosts, "a.corp.example"),
            Some(Decision::Drop)
        );
        assert_eq!(least(Category::Hosts, "a.example"), None);
        assert_eq!(least(Category::Users, "ana"), Some(Decision::Mask));
        assert_eq!(policy.least_of_all(Category::Hosts), None);
        assert_eq!(policy.said().rules.len(), 3);
    }

    #[test]
    fn what_is_not_allowed_is_dropped() {
        let policy = policy("may_send = ['functions', 'paths:/srv/*']").unwrap();
        assert_eq!(policy.least(Category::Functions, "inc"), None);
        assert_eq!(policy.least(Category::Paths, "/srv/x"), None);
        assert!(matches!(
            policy.least(Category::Paths, "/home/x"),
            Some((Decision::Drop, _))
        ));
        assert!(matches!(
            policy.least_of_all(Category::Users),
            Some((Decision::Drop, _))
        ));
        assert!(matches!(
            self::policy("may_send = []")
                .unwrap()
                .least_of_all(Category::Functions),
            Some((Decision::Drop, _))
        ));
    }

    #[test]
    fn hosts_and_users_are_the_same_in_any_case_and_paths_are_not() {
        let policy = policy(
            "must_drop = ['hosts:laptop-*', 'addresses:*://NODE1.*', 'workers:Blue*', 'users:ANA', 'paths:/srv/*']",
        )
        .unwrap();
        let dropped = |category, value| policy.least(category, value).is_some();
        for (category, value) in [
            (Category::Hosts, "LAPTOP-ANA"),
            (Category::Addresses, "tls://node1.corp.example:8786"),
            (Category::Workers, "blue-1"),
            (Category::Users, "Ana"),
        ] {
            assert!(dropped(category, value), "{value}");
        }
        assert!(!dropped(Category::Paths, "/SRV/data"));
        let allowed = self::policy("may_send = ['hosts:laptop-*']").unwrap();
        assert_eq!(allowed.least(Category::Hosts, "LAPTOP-ANA"), None);
    }

    #[test]
    fn what_a_policy_forbids_that_the_one_before_did_not_is_named() {
        let said = |before: &str, now: &str| {
            let (before, now) = (policy(before).unwrap(), policy(now).unwrap());
            Policy::stricter(Some(&before), Some(&now)).join("; ")
        };
        let wide = "level = 'everything'\nmust_drop = ['code']\nmay_send = ['functions', 'hosts']";
        assert_eq!(said(wide, wide), "");
        assert_eq!(
            said(
                wide,
                "level = 'names'\nmust_drop = ['code', 'hosts:*.corp']\nmust_mask = ['users']\nmay_send = ['hosts']"
            ),
            "the highest level is now names; must_drop has hosts:*.corp; must_mask has users; may_send no longer has functions"
        );
        assert_eq!(
            said("", "real_identities = false\nmay_send = []"),
            "real_identities is now false; there is now a may_send list"
        );
        // Looser is no reason to look again, and what is proposed makes nothing wider or narrower.
        assert_eq!(said(wide, "team = 'x'"), "");
        assert_eq!(said("", "propose = 'state:finished tag:prod'"), "");
        let wide = policy(wide).unwrap();
        assert_eq!(Policy::stricter(Some(&wide), None), [""; 0]);
        assert_eq!(Policy::stricter(None, Some(&wide)).len(), 3);
    }

    #[test]
    fn one_that_cannot_be_read_says_where() {
        for (text, part) in [
            ("must_drop = ['everyone']", "everyone"),
            ("must_dorp = []", "must_dorp"),
            ("level = 'all'", "all"),
            ("propose = 'mood:good'", "mood"),
            ("propose = ['tag:prod']", "expected a string"),
            ("level", ""),
        ] {
            let error = policy(text).unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains("bobbin-policy.toml"),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_brings_it_down(text in "(?s).{0,80}", value in ".{0,12}", pattern in "[a*]{0,8}") {
            let _ = (policy(&text), looks_like(&value, &pattern));
        }

        #[test]
        fn a_star_stands_for_anything(before in "[a-c]{0,4}", between in "[a-c]{0,6}", after in "[a-c]{0,4}") {
            let pattern = format!("{before}*{after}");
            let value = format!("{before}{between}{after}");
            prop_assert!(looks_like(&value, &pattern));
        }
    }
}
