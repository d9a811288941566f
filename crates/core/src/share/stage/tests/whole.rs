//! What lists show only the beginning of is there to its end.

use super::*;
use crate::api::stage_whole;

/// All of a text, and how many pieces it came in.
fn read(app: &App, id: i64, part: &StagePart) -> (String, usize) {
    let (mut text, mut pieces, mut offset) = (String::new(), 0, 0);
    loop {
        let part = part.clone();
        let piece = stage_whole(app, StageWholeRequest { id, part, offset }).unwrap();
        assert_eq!(piece.offset, offset);
        assert!(piece.text.chars().count() <= 32_000);
        text += &piece.text;
        pieces += 1;
        match piece.next {
            Some(next) => offset = next,
            None => {
                assert_eq!(piece.letters, text.chars().count() as u64);
                return (text, pieces);
            }
        }
    }
}

#[test]
fn a_value_and_a_line_are_opened_to_their_end_in_pieces_of_a_bounded_length() {
    let bench = bench();
    // Signs of four bytes: a piece is counted in letters, and never cuts one.
    let long = format!("start {} {SECRET} end", "\u{1f9f5}".repeat(50_000));
    let code = format!("password='{SECRET}'\nx = '{long}'");
    bench.at(11).send(batch_of(
        SCHEDULER,
        INSTANCE,
        7,
        &[computation(
            11,
            "0f230dd9-9b5b-4a88-a03f-f03d49a3b367",
            Some(&code),
        )],
    ));
    let stage = staged(&bench.app, Level::Everything);
    let longest = values(&bench.app, stage.id, Category::Code)
        .into_iter()
        .max_by_key(|item| item.letters)
        .unwrap();
    assert!(longest.real.chars().count() < longest.letters as usize);
    let (category, item) = (Category::Code, longest.item);
    let of = |told: bool| match (category, item.clone(), told) {
        (category, item, true) => StagePart::Told { category, item },
        (category, item, false) => StagePart::Real { category, item },
    };
    let (real, pieces) = read(&bench.app, stage.id, &of(false));
    assert!(real.contains(&long), "{}", real.len());
    assert_eq!(pieces, 2);
    let (told, _) = read(&bench.app, stage.id, &of(true));
    assert!(!told.contains(&format!("password='{SECRET}'")));
    // Lines, as they leave: all of them, one behind the other, are the file.
    let plain = plain(&stage);
    let lines: Vec<&str> = plain.lines().collect();
    let widest = (0..lines.len())
        .max_by_key(|line| lines[*line].len())
        .unwrap();
    for line in [0, widest] {
        let part = StagePart::Line { line: line as u64 };
        assert_eq!(read(&bench.app, stage.id, &part).0, lines[line]);
    }
    // Behind the end there is nothing.
    let piece = stage_whole(
        &bench.app,
        StageWholeRequest {
            id: stage.id,
            part: of(false),
            offset: u64::MAX,
        },
    )
    .unwrap();
    assert_eq!((piece.text.as_str(), piece.next), ("", None));
    for part in [
        StagePart::Line {
            line: lines.len() as u64,
        },
        StagePart::Real {
            category: Category::Hosts,
            item: "nothing".into(),
        },
    ] {
        let id = stage.id;
        let none = stage_whole(
            &bench.app,
            StageWholeRequest {
                id,
                part,
                offset: 0,
            },
        );
        assert!(matches!(none, Err(Error::NotFound { .. })));
    }
}
