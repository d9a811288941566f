//! Which tests failed, by name and with what they said first, from the words of each test runner: so that the end of the output
//! alone says it.

use super::counts::Counting;

/// What is shown of one, in letters.
const LONGEST: usize = 400;

/// A line for each failed test that the log names, in the log's order.
pub fn read(counting: Counting, log: &str) -> Vec<String> {
    let lines: Vec<&str> = log.lines().map(str::trim_end).collect();
    let mut found: Vec<String> = match counting {
        Counting::Check => Vec::new(),
        Counting::Cargo => cargo(&lines),
        Counting::Node => marked(&lines, "✖ ", "✖ failing tests:"),
        Counting::Pytest => summed_up(lines.iter().copied())
            .map(|line| line.replacen(" - ", ": ", 1))
            .collect(),
        Counting::Vitest => marked(&lines, "FAIL ", ""),
        Counting::Torture => marked(&lines, "error: ", ""),
    };
    for line in &mut found {
        if let Some((end, _)) = line.char_indices().nth(LONGEST) {
            line.truncate(end);
            line.push('…');
        }
    }
    found
}

/// `test NAME ... FAILED`, and from the panic of the thread of that name where and why.
fn cargo(lines: &[&str]) -> Vec<String> {
    let failed = lines.iter().filter_map(|line| {
        line.strip_prefix("test ")?
            .strip_suffix(" ... FAILED")
            .map(str::trim)
    });
    failed
        .map(|name| {
            let thread = format!("thread '{name}'");
            let panic = lines.windows(2).find(|two| two[0].starts_with(&thread));
            let why = panic.and_then(|two| Some((two[0].split_once(" panicked at ")?.1, two[1])));
            match why {
                Some((place, why)) => format!("{name}: {place} {why}"),
                None => name.to_owned(),
            }
        })
        .collect()
}

/// `FILE::NAME - WHY` of those that the summary at the end calls `FAILED` or `ERROR`.
pub fn summed_up<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    lines
        .skip_while(|line| !line.contains("short test summary info"))
        .filter_map(|line| {
            line.strip_prefix("FAILED ")
                .or_else(|| line.strip_prefix("ERROR "))
        })
}

/// What follows a mark, once each: runners print a failure where it comes and again at the end.
fn marked(lines: &[&str], mark: &str, heading: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines.iter().map(|line| line.trim_start()) {
        let Some(name) = line.strip_prefix(mark).filter(|_| line != heading) else {
            continue;
        };
        let name = name.trim();
        if !found.iter().any(|earlier| earlier == name) {
            found.push(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_runner_the_names_and_what_is_said_on_one_line() {
        let cargo = "test a::b ... ok\ntest a::c ... FAILED\nthread 'a::c' (7) panicked at src/a.rs:3:5:\nno rows\nstack\n";
        assert_eq!(
            read(Counting::Cargo, cargo),
            ["a::c: src/a.rs:3:5: no rows"]
        );
        let node = "▶ a\n  ✖ draws (2.1ms)\n✖ a (5ms)\n✖ failing tests:\n✖ draws (2.1ms)\n";
        assert_eq!(read(Counting::Node, node), ["draws (2.1ms)", "a (5ms)"]);
        let pytest = "FAILED too early\n=== short test summary info ===\nFAILED tests/a.py::test_b - assert 1 == 2\nERROR tests/c.py\n";
        assert_eq!(
            read(Counting::Pytest, pytest),
            ["tests/a.py::test_b: assert 1 == 2", "tests/c.py"]
        );
        let vitest = " FAIL  src/a.test.ts > adds\n";
        assert_eq!(read(Counting::Vitest, vitest), ["src/a.test.ts > adds"]);
        let torture = "error: kill: 1 records lost\nhint: the log\n";
        assert_eq!(read(Counting::Torture, torture), ["kill: 1 records lost"]);
        assert_eq!(read(Counting::Check, cargo), [""; 0]);
    }

    #[test]
    fn a_long_reason_is_cut() {
        let log = format!(
            "=== short test summary info ===\nFAILED a - {}\n",
            "ü".repeat(1_000)
        );
        assert_eq!(read(Counting::Pytest, &log)[0].chars().count(), LONGEST + 1);
    }
}
