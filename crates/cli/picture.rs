//! `bobbin picture`: what the page draws, as SVG or PNG.

use std::path::{Path, PathBuf};

use bobbin_core::api::{
    App, FlameRequest, GraphRequest, HeatMapRequest, HeatOrder, HeatRows, Measure, PictureFormat,
    PictureOf, PictureRequest, ProfileSelection,
};
use bobbin_core::model::Micros;
use chrono::{Days, Local, NaiveTime, TimeZone as _};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::{open, print, saved};

#[derive(Debug, Args)]
pub struct PictureArgs {
    /// What to draw; everything except the heat map shows one cluster
    #[arg(value_enum)]
    pub what: PictureArg,
    /// The cluster, specified as for `show`
    pub cluster: Option<String>,
    /// A new file, ending in .svg or .png
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Use the dark theme
    #[arg(long)]
    pub dark: bool,
    /// Width in pixels, 320 to 4,000; a PNG has twice as many [default: fits the picture]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub width: u32,
    /// Days in the heat map, up to 731
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=731))]
    pub days: u32,
    /// Rows of the heat map [default: users if there are several, else projects]
    #[arg(long, value_enum)]
    pub by: Option<HeatRowsArg>,
    /// Cells of the heat map
    #[arg(long, value_enum, default_value_t = MeasureArg::Compute)]
    pub measure: MeasureArg,
    /// Do not fold groups in the graph
    #[arg(long)]
    pub whole: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PictureArg {
    Heatmap,
    Timeline,
    Graph,
    Flame,
}

/// [`HeatRows`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum HeatRowsArg {
    User,
    Project,
    Host,
    Cluster,
    Everything,
}

/// [`Measure`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MeasureArg {
    Compute,
    Cluster,
    Cost,
    Idle,
    Stalled,
    Failures,
    Memory,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &PictureArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let format = match &*saved::ending(&args.output) {
        "svg" => PictureFormat::Svg,
        "png" => PictureFormat::Png,
        _ => {
            return Err(
                Failure::usage(format!("{} has no known format", args.output.display()))
                    .hint("end its name in .svg or .png"),
            );
        }
    };
    let asked = PictureRequest {
        of: of(&app, args)?,
        format,
        dark: args.dark,
        width: args.width,
        zone: print::time_zone(),
    };
    let made = bobbin_save::picture::picture(&app, &asked)?;
    saved::write(&app, &made, &args.output, json)
}

fn of(app: &App, args: &PictureArgs) -> Result<PictureOf, Failure> {
    if let PictureArg::Heatmap = args.what {
        if let Some(cluster) = &args.cluster {
            return Err(Failure::usage(format!(
                "{cluster}: a heat map shows all clusters"
            )));
        }
        return Ok(PictureOf::HeatMap {
            request: heat_map(app, args)?,
        });
    }
    let Some(text) = &args.cluster else {
        return Err(Failure::usage("no cluster given").hint("`bobbin clusters` lists them"));
    };
    let id = open::cluster(app, text)?.id;
    Ok(match args.what {
        PictureArg::Heatmap | PictureArg::Timeline => PictureOf::Timeline {
            id,
            from_micros: None,
            to_micros: None,
        },
        PictureArg::Graph => PictureOf::Graph {
            request: GraphRequest {
                id,
                computation: None,
                measure: Default::default(),
                open: Vec::new(),
                whole: args.whole,
                top_down: false,
            },
        },
        PictureArg::Flame => PictureOf::Flame {
            request: Box::new(FlameRequest {
                selection: ProfileSelection {
                    ids: vec![id],
                    ..ProfileSelection::default()
                },
                ..FlameRequest::default()
            }),
        },
    })
}

/// The last local days, the last of them today.
fn heat_map(app: &App, args: &PictureArgs) -> Result<HeatMapRequest, Failure> {
    let unknown = || Failure::failed("Bobbin cannot use this machine's calendar");
    let now = chrono::DateTime::from_timestamp_micros(app.now().0).ok_or_else(unknown)?;
    let today = now.with_timezone(&Local).date_naive();
    let edges = (0..=args.days)
        .map(|day| {
            let ago = Days::new(u64::from(args.days - day));
            let date = (today + Days::new(1)).checked_sub_days(ago)?;
            // Where a day begins with a change of clocks, its first moment that there is.
            let begins = Local
                .from_local_datetime(&date.and_time(NaiveTime::MIN))
                .earliest()
                .or_else(|| {
                    let later = date.and_hms_opt(1, 0, 0)?;
                    Local.from_local_datetime(&later).earliest()
                })?;
            Some(Micros(begins.timestamp_micros()))
        })
        .collect::<Option<Vec<_>>>()
        .ok_or_else(unknown)?;
    Ok(HeatMapRequest {
        by: args.by.map(|by| match by {
            HeatRowsArg::User => HeatRows::User,
            HeatRowsArg::Project => HeatRows::Project,
            HeatRowsArg::Host => HeatRows::Host,
            HeatRowsArg::Cluster => HeatRows::Name,
            HeatRowsArg::Everything => HeatRows::Everything,
        }),
        measure: match args.measure {
            MeasureArg::Compute => Measure::Compute,
            MeasureArg::Cluster => Measure::Cluster,
            MeasureArg::Cost => Measure::Cost,
            MeasureArg::Idle => Measure::Idle,
            MeasureArg::Stalled => Measure::Stalled,
            MeasureArg::Failures => Measure::Failures,
            MeasureArg::Memory => Measure::MemoryPeak,
        },
        edges,
        columns: Vec::new(),
        order: HeatOrder::Total,
        rows: 0,
    })
}
