//! Bobbin's window: the page over `bobbin-core` in this process, and the receiver beside it. Nothing is decided here.

mod arguments;
mod bobbin;
mod changes;
mod command;
mod failure;
mod instance;
mod window;

use std::process::ExitCode;

use arguments::{Arguments, Asked};
use bobbin::Bobbin;
use failure::Failure;
use tauri::{Manager, RunEvent};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("BOBBIN_LOG")
                .unwrap_or_else(|_| "warn".into()),
        )
        .with_writer(std::io::stderr)
        .init();
    let arguments = match arguments::read(std::env::args().skip(1)) {
        Asked::Window(arguments) => arguments,
        Asked::Words { text, exit_code } => {
            eprint!("{text}");
            return ExitCode::from(exit_code);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.show();
            ExitCode::FAILURE
        }
    }
}

/// Opens the window and stays until it is closed.
fn run(arguments: &Arguments) -> Result<(), Failure> {
    window::require_display()?;
    let dir = arguments.folder()?;
    // First of all plugins: a second launch ends here, before it touches the store.
    let app = tauri::Builder::default()
        .plugin(instance::one_per_folder(&dir))
        .plugin(window::remember_size())
        .invoke_handler(tauri::generate_handler![command::call])
        .build(tauri::generate_context!())?;

    let bobbin = Bobbin::open(&dir, arguments)?;
    app.manage(bobbin.app().clone());
    let told = changes::tell(bobbin.app(), app.handle().clone());
    bobbin::quit_on_signal(app.handle().clone());
    window::open(app.handle())?;
    if arguments.demo {
        bobbin.load_demo();
    }

    let mut open = Some((bobbin, told));
    let exit_code = app.run_return(move |_, event| {
        if let RunEvent::Exit = event
            && let Some((bobbin, told)) = open.take()
        {
            drop(told);
            if let Err(error) = bobbin.close() {
                Failure::from(error).print();
            }
        }
    });
    if exit_code == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!("the window ended with {exit_code}")))
    }
}
