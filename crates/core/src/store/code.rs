//! Code as it is sealed: deflated behind a mark, where that is shorter. What was stored before has no mark: it is JSON as it is.

use super::stacks::{deflate, inflate};
use crate::{Error, Result};

/// No JSON begins with it.
const DEFLATED: u8 = 1;

/// # Errors
/// [`Error::Io`].
pub(crate) fn pack_code(json: &[u8]) -> Result<Vec<u8>> {
    let deflated = deflate(json)?;
    if deflated.len() + 1 >= json.len() {
        return Ok(json.to_vec());
    }
    let mut packed = vec![DEFLATED];
    packed.extend(deflated);
    Ok(packed)
}

/// # Errors
/// [`Error::Invalid`] if it is not what [`pack_code`] wrote.
pub(crate) fn unpack_code(packed: Vec<u8>) -> Result<Vec<u8>> {
    match packed.split_first() {
        Some((&DEFLATED, deflated)) => inflate(deflated).map_err(|_| Error::Invalid {
            what: "code",
            value: "stored".into(),
            reason: "it is not what this build writes".into(),
        }),
        _ => Ok(packed),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn code_takes_less_and_comes_back() {
        let line = r#"{"code":"result = df.groupby(\"day\").mean().compute()","line":7},"#;
        let json = format!("[{}]", line.repeat(12));
        let packed = pack_code(json.as_bytes()).unwrap();
        assert!(packed.len() < json.len() / 4, "{}", packed.len());
        assert_eq!(unpack_code(packed).unwrap(), json.as_bytes());
    }

    #[test]
    fn short_code_and_what_was_stored_before_stand_as_they_are() {
        let json = br#"[{"code":"x"}]"#;
        assert_eq!(pack_code(json).unwrap(), json);
        assert_eq!(unpack_code(json.to_vec()).unwrap(), json);
    }

    proptest! {
        #[test]
        fn nothing_else_brings_the_reader_down(bytes in vec(any::<u8>(), 0..200)) {
            let mut marked = vec![DEFLATED];
            marked.extend(bytes);
            let _ = unpack_code(marked);
        }
    }
}
