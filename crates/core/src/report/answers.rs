//! The answers that a report holds, as many as its size allows.

use serde_json::{Value, json};

use super::Ask;
use super::questions::Question;
use crate::{Error, Result};

/// Beyond this no optional answer is added: with its page a usual report stays below three megabytes.
const ALL_BYTES: usize = 2_000_000;
/// Of one answer that can be had smaller.
const ONE_BYTES: usize = 500_000;
/// No limit gets smaller than this.
const LEAST: u64 = 20;

/// Questions with their answers, as JSON.
#[derive(Default)]
pub(crate) struct Answers {
    pub(super) rows: Vec<String>,
    pub(super) bytes: usize,
    /// Questions that found no room.
    pub(super) left_out: usize,
}

/// Asks until there is no room.
///
/// # Errors
/// Those of the questions that the report cannot do without.
pub(crate) fn answers(ask: &Ask<'_>, questions: &[Question]) -> Result<Answers> {
    let mut all = Answers::default();
    for question in questions {
        if question.optional && all.bytes >= ALL_BYTES {
            all.left_out += 1;
            continue;
        }
        let (request, answer) = match fitting(ask, question) {
            // Whoever asks for it in the report hears that it is not there.
            Err(Error::NotFound { .. }) if question.optional => continue,
            fitting => fitting?,
        };
        if question.optional && all.bytes + answer.len() > ALL_BYTES {
            all.left_out += 1;
            continue;
        }
        all.bytes += answer.len();
        let (command, request) = (json!(question.command), request.to_string());
        all.rows.push(format!(
            r#"{{"command":{command},"request":{request},"answer":{answer}}}"#
        ));
    }
    Ok(all)
}

/// The answer, asked for with less and less until it is no larger than one may be.
fn fitting(ask: &Ask<'_>, question: &Question) -> Result<(Value, String)> {
    let mut request = question.request.clone();
    loop {
        let answer = ask(question.command, &request)?;
        let Some(number) = question.smaller.and_then(|at| request.pointer_mut(at)) else {
            return Ok((request, answer));
        };
        match number.as_u64() {
            Some(now) if answer.len() > ONE_BYTES && now > LEAST => *number = json!(now / 2),
            _ => return Ok((request, answer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(command: &'static str, limit: u64, optional: bool) -> Question {
        Question {
            command,
            request: json!({"limit": limit}),
            smaller: Some("/limit"),
            optional,
        }
    }

    #[test]
    fn what_is_too_large_is_asked_for_with_less_and_what_finds_no_room_is_counted() {
        // A thousand letters a row.
        let ask = |_: &str, request: &Value| {
            let rows = request["limit"].as_u64().unwrap() as usize;
            Ok(json!("x".repeat(rows * 1_000)).to_string())
        };
        let mut questions = vec![question("needed", 1_000, false)];
        questions.extend((0..6).map(|_| question("optional", 400, true)));
        let all = answers(&ask, &questions).unwrap();
        assert!(all.rows[0].starts_with(r#"{"command":"needed","request":{"limit":250},"#));
        assert_eq!((all.rows.len(), all.left_out), (5, 2));
        assert!(all.bytes <= ALL_BYTES);
    }

    #[test]
    fn what_is_not_there_is_no_failure_of_what_the_report_can_do_without() {
        let ask = |_: &str, _: &Value| -> Result<String> {
            Err(Error::NotFound {
                kind: "group",
                id: "g".into(),
            })
        };
        assert!(
            answers(&ask, &[question("one", 1, true)])
                .unwrap()
                .rows
                .is_empty()
        );
        assert!(answers(&ask, &[question("one", 1, false)]).is_err());
    }
}
