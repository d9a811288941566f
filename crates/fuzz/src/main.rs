//! Drives one target for a while, from a place that is drawn, and leaves what it found in `target/fuzz/`.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bobbin_fuzz::{TARGETS, Target, corpus, drive};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, minutes, seed) = match &words[..] {
        [name, minutes] => (name, minutes.parse::<f64>(), None),
        [name, minutes, seed] => (name, minutes.parse::<f64>(), seed.parse().ok()),
        _ => return wrong("give a target, minutes, and a seed if it is to be the same run again"),
    };
    let Ok(minutes) = minutes else {
        return wrong("minutes are a number");
    };
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        return wrong(&format!("there is no target {name}"));
    };
    match long(
        target,
        Duration::from_secs_f64(60.0 * f64::max(minutes, 0.0)),
        seed.unwrap_or_else(|| fastrand::u64(..)),
    ) {
        Ok(code) => code,
        Err(error) => wrong(&error.to_string()),
    }
}

fn long(target: &Target, time: Duration, seed: u64) -> std::io::Result<ExitCode> {
    say(&format!("{}: {}; seed {seed}", target.name, target.about));
    // What a target panics with is told once, at the end.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut told = start;
    let ran = drive(target, corpus(target.seeds)?, seed, |inputs| {
        if told.elapsed() > Duration::from_secs(30) {
            told = Instant::now();
            say(&format!("{} s: {inputs} inputs", start.elapsed().as_secs()));
        }
        start.elapsed() >= time
    });
    say(&format!(
        "{} inputs went {} ways in {} s; the slowest took {} ms",
        ran.inputs,
        ran.ways,
        start.elapsed().as_secs(),
        ran.slowest.as_millis()
    ));
    let Some(found) = ran.found else {
        return Ok(ExitCode::SUCCESS);
    };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{seed}", target.name));
    std::fs::write(&path, &found.input)?;
    say(&format!(
        "{}\nthe input is in {}: mend what it found, and add it to corpus/{}",
        found.panic,
        path.display(),
        target.seeds
    ));
    Ok(ExitCode::FAILURE)
}

fn wrong(what: &str) -> ExitCode {
    say(what);
    for target in TARGETS {
        say(&format!("  {:8} {}", target.name, target.about));
    }
    ExitCode::from(2)
}

fn say(text: &str) {
    // Nobody is left to tell when stderr is gone.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
