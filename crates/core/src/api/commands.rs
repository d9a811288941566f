//! The table of commands.

use serde::de::DeserializeOwned;

use super::{
    App, Baseline, BaselineRequest, CloseOrder, Cluster, ClusterList, ClusterRequest, ClusterRow,
    ClusterView, ClustersRequest, CompareRequest, Comparison, CompleteRequest, Completion,
    ComputationList, ComputationsRequest, Empty, EventFields, EventFieldsRequest, EventList,
    EventsRequest, ExceptionKindList, ExceptionKindsRequest, ExceptionList, ExceptionsRequest,
    Flame, FlameAbout, FlameAboutRequest, FlameDifference, FlameDifferenceRequest, FlameLine,
    FlameLineRequest, FlameRequest, FlameTable, FlameTableRequest, Graph, GraphGroup,
    GraphGroupRequest, GraphRequest, MarkRequest, Marked, MetricList, MetricsRequest, Overview,
    OverviewRequest, Profile, ProfileRequest, SearchAnswer, SearchRequest, SpanList, SpansRequest,
    Status, TaskGroupList, TaskGroupsRequest, ThreadUse, ThreadUseRequest, Timeline,
    TimelineRequest, TopicList, TopicsRequest, Verdict, ViewList, ViewName, ViewText, WorkerList,
    WorkerSeries, WorkerSeriesRequest, WorkersRequest, answers, flame as flames, graph as graphs,
    marks, search as searching, stop,
};
use crate::{Error, Result};

/// Makes the typed functions, [`COMMANDS`], [`call`] and the page's table of commands from one list.
macro_rules! commands {
    ($($(#[doc = $doc:literal])* $name:ident($request:ty) -> $answer:ty = $run:expr;)*) => {
        /// The names of all commands.
        pub const COMMANDS: &[&str] = &[$(stringify!($name)),*];

        /// Runs a command by name: JSON in, JSON out. An empty request is `{}`.
        ///
        /// # Errors
        /// [`Error::UnknownCommand`]; [`Error::Invalid`] if the request cannot be read; those of the command.
        pub fn call(app: &App, name: &str, request: &str) -> Result<String> {
            match name {
                $(stringify!($name) => {
                    let request: $request = read(name, request)?;
                    Ok(serde_json::to_string(&$name(app, request)?)?)
                })*
                _ => Err(Error::UnknownCommand(name.into())),
            }
        }

        $($(#[doc = $doc])*
        ///
        /// # Errors
        /// Those of [`Error`] that a read of the store can meet.
        pub fn $name(app: &App, request: $request) -> Result<$answer> {
            let run: fn(&App, $request) -> Result<$answer> = $run;
            run(app, request)
        })*

        #[cfg(test)]
        pub(super) fn visit(table: &mut super::typescript::Table) {
            $(table.command::<$request, $answer>(stringify!($name), concat!($($doc),*));)*
        }
    };
}

commands! {
    /// What this Bobbin is and where it listens.
    status(Empty) -> Status = answers::status;
    /// Totals of a period or a selection and of the one before, what is alive, and the five questions.
    overview(OverviewRequest) -> Overview = super::overview::overview;
    /// A measure by user, project, host or name over time.
    heat_map(super::HeatMapRequest) -> super::HeatMap = super::overview::heat_map;
    /// The clusters behind a period or a selection, with what they used in it.
    cluster_uses(super::ClusterUsesRequest) -> super::ClusterUses = super::overview::cluster_uses;
    /// The price book and its history.
    prices(Empty) -> super::PriceBook = super::cost::prices;
    /// Writes a price into the book, or corrects one.
    set_price(super::SetPriceRequest) -> super::PriceBook = super::cost::set_price;
    /// Takes a price out of the book; its history stays.
    remove_price(super::RemovePriceRequest) -> super::PriceBook = super::cost::remove_price;
    /// Names the currency of all prices.
    set_currency(super::SetCurrencyRequest) -> super::PriceBook = super::cost::set_currency;
    /// What may be spent this month, and what of it is.
    budgets(super::BudgetsRequest) -> super::BudgetList = super::budget::budgets;
    /// Writes a budget, or corrects one.
    set_budget(super::SetBudgetRequest) -> super::BudgetList = super::budget::set_budget;
    /// Takes a budget away.
    remove_budget(super::RemoveBudgetRequest) -> super::BudgetList = super::budget::remove_budget;
    /// What one cluster cost, by operation.
    cluster_cost(ClusterRequest) -> super::ClusterCost = super::cost::cluster_cost;
    /// What each task group and each computation of one cluster cost.
    group_costs(ClusterRequest) -> super::GroupCosts = super::group_costs::group_costs;
    /// What clusters cost in a period, by user, project, host, name or tag.
    cost_table(super::CostTableRequest) -> super::CostTable = super::cost::cost_table;
    /// The dearest lines of code of some clusters, by their profiles.
    line_costs(super::ProfileSelection) -> super::LineCosts = super::cost::line_costs;
    /// The clusters that match, in some order.
    clusters(ClustersRequest) -> ClusterList = answers::clusters;
    /// Everything about one cluster that is not a list of its own.
    cluster(ClusterRequest) -> Cluster = answers::cluster;
    /// What one asks of a cluster first, each answered in a sentence that leads to its proof.
    cluster_answers(super::ClusterAnswersRequest) -> super::ClusterAnswers = super::verdict::cluster_answers;
    /// What became of one cluster, in one word, and why that is said.
    verdict(ClusterRequest) -> Verdict = super::verdict::verdict;
    /// What the stored numbers say against how one cluster was used.
    findings(ClusterRequest) -> super::FindingList = super::verdict::findings;
    /// The verdicts on some clusters, each with its weightiest reason.
    verdicts(super::VerdictsRequest) -> super::VerdictList = super::verdict::verdicts;
    /// Workers, memory and tasks of one cluster over time.
    timeline(TimelineRequest) -> Timeline = answers::timeline;
    /// What the threads of one cluster did: proportions over time, and what was done in a part of it.
    thread_use(ThreadUseRequest) -> ThreadUse = super::verdict::thread_use;
    /// The workers of one cluster: what they do now, and their lives.
    workers(WorkersRequest) -> WorkerList = answers::workers;
    /// One measure of the workers of one cluster over time, each or how they are spread.
    worker_series(WorkerSeriesRequest) -> WorkerSeries = answers::worker_series;
    /// One measure of the workers of one cluster as a heat-map: the busiest by name, all others together.
    worker_heat(super::WorkerHeatRequest) -> super::WorkerHeat = answers::worker_heat;
    /// The task groups of one cluster.
    task_groups(TaskGroupsRequest) -> TaskGroupList = answers::task_groups;
    /// The graph of one cluster's task groups, folded and laid out.
    graph(GraphRequest) -> Graph = graphs::graph;
    /// What the graph does not say of one group.
    graph_group(GraphGroupRequest) -> GraphGroup = graphs::graph_group;
    /// The computations of one cluster, with their code.
    computations(ComputationsRequest) -> ComputationList = answers::computations;
    /// One cluster and its computations, each against the last runs of the same.
    baseline(BaselineRequest) -> Baseline = super::baseline::baseline;
    /// What changed from one cluster to another: environment, code, wall clock in parts, groups and exceptions.
    compare(CompareRequest) -> Comparison = super::compare::compare;
    /// The spans of one cluster.
    spans(SpansRequest) -> SpanList = answers::spans;
    /// What the time and bytes of one cluster's workers went to, by span, prefix, activity and unit.
    metrics(MetricsRequest) -> MetricList = answers::metrics;
    /// The same added up, by prefix, span or context.
    activity(super::ActivityRequest) -> super::Activity = answers::activity;
    /// The statistical profile of one cluster, merged.
    profile(ProfileRequest) -> Profile = answers::profile;
    /// Which profiles a selection merges, and from which clusters.
    flame_about(FlameAboutRequest) -> FlameAbout = flames::flame_about;
    /// What can be seen of a merged profile at some width, or of the callers and callees of a function.
    flame(FlameRequest) -> Flame = flames::flame;
    /// The functions of a merged profile, with a line of each.
    flame_table(FlameTableRequest) -> FlameTable = flames::flame_table;
    /// A line of source of one function.
    flame_line(FlameLineRequest) -> FlameLine = flames::flame_line;
    /// What takes more or less time in one selection than in another.
    flame_difference(FlameDifferenceRequest) -> FlameDifference = flames::flame_difference;
    /// The exceptions of one cluster or of all.
    exceptions(ExceptionsRequest) -> ExceptionList = answers::exceptions;
    /// Failures of one type that went through the same functions, in one cluster or across all.
    exception_kinds(ExceptionKindsRequest) -> ExceptionKindList = super::verdict::exception_kinds;
    /// The events of one cluster.
    events(EventsRequest) -> EventList = answers::events;
    /// What the payloads of one cluster's events are made of: numbers to be drawn, words to be chosen from.
    event_fields(EventFieldsRequest) -> EventFields = super::verdict::event_fields;
    /// The topics of one cluster's events: what was sent, and what was seen and not sent.
    topics(TopicsRequest) -> TopicList = answers::topics;
    /// What looked like a secret in code and exceptions when they came, by cluster. It needs no key, and tells no value.
    secrets(super::SecretsRequest) -> super::SecretList = answers::secrets;
    /// What could come next in a filter that is being typed.
    complete_filter(CompleteRequest) -> Completion = marks::complete_filter;
    /// Pins, tags, notes and names clusters by hand.
    mark_clusters(MarkRequest) -> Marked = marks::mark_clusters;
    /// The views of the list of clusters that are kept.
    views(Empty) -> ViewList = marks::views;
    /// How many clusters each kept view lists now.
    view_counts(super::ViewCountsRequest) -> super::ViewCounts = marks::view_counts;
    /// Keeps a view; one of the same name is replaced.
    save_view(ClusterView) -> ViewList = marks::save_view;
    /// Keeps the views of a text that was exported.
    import_views(ViewText) -> ViewList = marks::import_views;
    /// Keeps a view no longer.
    delete_view(ViewName) -> ViewList = marks::delete_view;
    /// The names of users, and which of them are one person.
    users(Empty) -> super::UserList = super::people::users;
    /// Says that names of users are one person.
    merge_users(super::MergeUsersRequest) -> super::UserList = super::people::merge_users;
    /// Says that a name of a user is a person of its own.
    split_user(super::SplitUserRequest) -> super::UserList = super::people::split_user;
    /// Takes the code of a computation out of the store, and never lets it in again.
    forget_code(super::CodeRequest) -> super::ForgottenCode = super::forget::forget_code;
    /// Lets code that was forgotten be stored when it comes again.
    remember_code(super::CodeRequest) -> super::ForgottenCode = super::forget::remember_code;
    /// What the store takes, its rules, and what is being deleted.
    storage(Empty) -> super::Storage = super::retention::storage;
    /// What some rules, or the deletion of some clusters, would remove.
    removal_preview(super::RemovalPreviewRequest) -> super::RemovalPreview = super::retention::removal_preview;
    /// Sets what is kept for how long; for ten seconds nothing is removed by it.
    set_retention(crate::model::RetentionRules) -> super::Storage = super::retention::set_retention;
    /// Says that this machine's clock is right, though far ahead of when Bobbin last ran.
    trust_clock(Empty) -> super::Storage = super::retention::trust_clock;
    /// Deletes clusters, after ten seconds in which that can be undone.
    delete_clusters(super::DeleteRequest) -> super::Storage = super::retention::delete_clusters;
    /// Takes the deletion of clusters back, where it has not begun.
    undo_delete(super::UndoDeleteRequest) -> super::Storage = super::retention::undo_delete;
    /// What was removed of one cluster, and by which rule.
    cluster_pruned(ClusterRequest) -> super::PrunedList = super::retention::cluster_pruned;
    /// Looks for a text in names, tags, notes, functions and exceptions, or in what is sealed.
    search(SearchRequest) -> SearchAnswer = searching::search;
    /// Stages clusters for a destination: writes the exact bytes that are to be looked at.
    stage_clusters(crate::share::stage::StageClustersRequest) -> crate::share::stage::Stage = super::review::stage_clusters;
    /// The stages that there are.
    stages(Empty) -> crate::share::stage::StageList = super::review::stages;
    /// A stage: categories with counts, what is left out, what keeps it from being approved.
    stage(crate::share::stage::StageRequest) -> crate::share::stage::Stage = super::review::stage;
    /// The values of a stage, by category.
    stage_items(crate::share::stage::StageItemsRequest) -> crate::share::stage::StageItems = super::review::stage_items;
    /// What looks like a secret in a stage.
    stage_findings(crate::share::stage::StageRequest) -> crate::share::stage::StageFindings = super::review::stage_findings;
    /// Decides upon categories, values and findings; the staged bytes are written anew.
    decide_stage(crate::share::stage::DecideRequest) -> crate::share::stage::Stage = super::review::decide_stage;
    /// Lines of the staged bytes, as they are.
    stage_text(crate::share::stage::StageTextRequest) -> crate::share::stage::StageText = super::review::stage_text;
    /// A value or a line of a stage as a whole, piece by piece.
    stage_whole(crate::share::stage::StageWholeRequest) -> crate::share::stage::StageWhole = super::review::stage_whole;
    /// A piece of the staged file.
    stage_bytes(crate::share::stage::StageBytesRequest) -> crate::share::stage::StageBytes = super::review::stage_bytes;
    /// Copies the staged file to a new one.
    save_stage(crate::share::stage::SaveStageRequest) -> crate::share::stage::Stage = super::review::save_stage;
    /// Approves staged bytes by their hash.
    approve_stage(crate::share::stage::ApproveRequest) -> crate::share::stage::Stage = super::review::approve_stage;
    /// Where this install may send what was approved, what it sent, and what is on its way.
    sends(super::SendsRequest) -> super::Sends = super::sends::sends;
    /// Sends an approved bundle to the destination that it was approved for, in the background.
    send(super::SendRequest) -> super::Sends = super::sends::send;
    /// Has a bundle deleted where it was sent; what waits is not sent.
    recall_send(super::SendRequest) -> super::Sends = super::sends::recall_send;
    /// Lets nothing more be sent, or takes that back.
    pause_sends(super::PauseSendsRequest) -> super::Sends = super::sends::pause_sends;
    /// Says whether what was approved may be sent.
    set_sharing(super::SetSharingRequest) -> super::Sends = super::sends::set_sharing;
    /// Removes a stage.
    discard_stage(crate::share::stage::StageRequest) -> crate::share::stage::StageList = super::review::discard_stage;
    /// The policy, approvals in advance, own words, and what waits to be looked at.
    sharing_rules(Empty) -> crate::share::stage::SharingRules = super::review::sharing_rules;
    /// Adds words that are secrets, or forgets them.
    own_words(crate::share::stage::OwnWordsRequest) -> crate::share::stage::OwnWords = super::review::own_words;
    /// Approves numbers and names for a destination in advance, or takes that back.
    stand(crate::share::stage::StandingRequest) -> crate::share::stage::SharingRules = super::review::stand;
    /// The private map of a destination: which alias stands for what.
    aliases(crate::share::stage::AliasesRequest) -> crate::share::stage::AliasMap = super::review::aliases;
    /// Writes a report of a cluster or of a comparison: what a bundle would tell, for anybody to read.
    report(super::ReportRequest) -> super::Report = |app, request| super::report::report(app, request, call);
    /// Runs SQL that only reads, for a bounded time.
    sql(super::SqlRequest) -> super::SqlAnswer = super::sql_pane::sql;
    /// Ends a question in SQL that is being answered.
    cancel_sql(super::SqlCancelRequest) -> super::SqlCancelled = super::sql_pane::cancel;
    /// The tables that SQL can ask.
    sql_tables(Empty) -> super::SqlTables = super::sql_pane::tables;
    /// What a command asks of the store, as SQL that runs as it stands.
    copy_sql(super::CopySqlRequest) -> super::CopiedSql = |app, request| copy_sql_within(app, request, usize::MAX);
    /// Asks a cluster to close, where it allows that; the answer to its next report carries the order.
    close_cluster(ClusterRequest) -> CloseOrder = stop::close_cluster;
    /// Says nothing of a cluster's idleness for an hour.
    keep_idle(ClusterRequest) -> super::IdleKept = super::idle::keep_idle;
    /// Until when nothing is said of a cluster's idleness.
    idle_kept(ClusterRequest) -> super::IdleKept = super::idle::idle_kept;
    /// The key that opens what is sealed: whether it is here, and where it lies.
    keys(Empty) -> super::KeyStatus = super::keys::keys;
    /// Reads the key again; a locked keyring may ask for its password.
    unlock_key(Empty) -> super::KeyStatus = super::keys::unlock_key;
    /// Forgets the key in this process until it is unlocked.
    lock_key(Empty) -> super::KeyStatus = super::keys::lock_key;
    /// Moves the key into the file or the keyring.
    move_key(super::MoveKeyRequest) -> super::KeyStatus = super::keys::move_key;
    /// What to print of the key, to have it back one day.
    recovery_key(Empty) -> super::RecoveryKey = super::keys::recovery_key;
    /// Takes the offer of a recovery key away.
    decline_recovery_key(Empty) -> super::KeyStatus = super::keys::decline_recovery_key;
    /// Takes a key back from what was printed of it.
    restore_key(super::RestoreKeyRequest) -> super::KeyStatus = super::keys::restore_key;
    /// Replaces the key, and seals to the new one what the old one opens.
    rotate_key(Empty) -> super::KeyStatus = super::keys::rotate_key;
    /// Begins with a new key where the old one is lost.
    new_key(Empty) -> super::KeyStatus = super::keys::new_key;
    /// What ever left, and whether the chain of rows holds.
    ledger(Empty) -> super::ledger::LedgerAnswer = super::ledger::ledger;
    /// What is in a bundle that was handed over and not stored.
    bundle_contents(super::BundleRequest) -> super::BundleContents = super::beside::bundle_contents;
    /// Takes the clusters of such a bundle that are not here yet.
    import_bundle(super::BundleRequest) -> crate::share::Imported = super::beside::import_bundle;
    /// Opens such a bundle beside the store, in one of its own that only reads.
    open_bundle(super::BundleRequest) -> super::BundleContents = super::beside::open_bundle;
    /// The newest clusters as somebody with a share of them would see them, opened beside the store.
    lens(super::beside::LensRequest) -> super::BundleContents = super::beside::lens;
    /// Closes such a bundle; nothing of it stays but what was taken.
    close_bundle(super::BundleRequest) -> Empty = super::beside::close_bundle;
    /// What this build is: its version, its formats, and the key whose releases it trusts.
    this_build(Empty) -> super::ThisBuild = super::release::this_build;
    /// Checks a release file, and says what it would change. Nothing is installed, and no connection opened.
    check_release(super::CheckReleaseRequest) -> super::ReleaseCheck = super::release::check_release;
    /// What the window does besides showing the page, and what this desktop lets it do.
    desktop(Empty) -> super::Desktop = super::desktop::desktop;
    /// Chooses what the window does.
    set_desktop(super::DesktopChoices) -> super::Desktop = super::desktop::set_desktop;
    /// Puts the window where a first start puts it.
    reset_window(Empty) -> super::Desktop = super::desktop::reset_window;
    /// The recorded stories, and whether they are loaded.
    demo(Empty) -> super::Demo = super::demo::demo;
    /// Stores the recorded stories and the weeks before, as samples that ended a moment ago.
    load_demo(Empty) -> super::Demo = super::demo::load_demo;
    /// Removes all samples, replays among them.
    remove_demo(Empty) -> super::Demo = super::demo::remove_demo;
    /// What is played once more, and how far it is.
    replay(Empty) -> super::Replay = super::demo::replay;
    /// Plays a recording through the receiver; pauses it, goes elsewhere in it, at another speed, ends it.
    set_replay(super::ReplayRequest) -> super::Replay = super::demo::set_replay;
    /// The receiver: where it listens, what the next start is told, and who gets in.
    receiver_settings(Empty) -> super::ReceiverSettings = super::settings::receiver_settings;
    /// Sets the port of the next start.
    set_port(super::SetPortRequest) -> super::ReceiverSettings = super::settings::set_port;
    /// Sets the interface of the next start, on which other machines reach the receiver.
    set_interface(super::SetInterfaceRequest) -> super::ReceiverSettings = super::settings::set_interface;
    /// The owner's token, as text.
    show_token(Empty) -> super::TokenText = super::settings::show_token;
    /// Replaces the owner's token; the old one lets nobody in any more.
    replace_token(super::SureRequest) -> super::TokenText = super::settings::replace_token;
    /// Takes back every key that was handed out.
    revoke_keys(super::SureRequest) -> super::ReceiverSettings = super::settings::revoke_keys;
    /// What arrives as files, and what of it was refused.
    inbox_files(Empty) -> super::InboxFiles = super::settings::inbox_files;
    /// Sets the folders whose files are read, too, from the next start on.
    set_inbox(super::SetInboxRequest) -> super::InboxFiles = super::settings::set_inbox;
    /// What clusters do not send, and what a reader keeps out.
    privacy(Empty) -> super::Privacy = super::settings::privacy;
    /// Whether every scheduler of this user reports.
    connection(Empty) -> super::Connection = super::connection::connection;
    /// Makes every scheduler of this user report, or takes that back.
    set_connection(super::ConnectionRequest) -> super::Connection = super::connection::set_connection;
    /// Whether a cluster that starts now would be seen: what was looked at, what was found, and what to do.
    doctor(Empty) -> super::Examined = super::doctor::doctor;
    /// The lines by which a scheduler on another machine reports here.
    remote_lines(super::RemoteRequest) -> super::RemoteLines = super::connection::remote_lines;
    /// What came in since a moment, and what was turned away.
    reception(super::ReceptionRequest) -> super::Reception = super::connection::reception;
    /// How far a wish to close a cluster has come.
    close_order(ClusterRequest) -> CloseOrder = stop::close_order;
}

/// Runs a command on the store of a bundle that is open beside this one.
///
/// # Errors
/// As [`App::beside`]; [`Error::Refused`] for what belongs to the reader's own store; those of the command.
pub fn call_beside(app: &App, id: &str, name: &str, request: &str) -> Result<String> {
    super::beside::refuse_own(name)?;
    call(&app.beside(id)?, name, request)
}

/// As [`copy_sql`], within so many bytes: statements that do not fit are left out, each as a whole.
///
/// # Errors
/// [`Error::Refused`] for commands that are SQL themselves or write; those of the command.
pub fn copy_sql_within(
    app: &App,
    request: super::CopySqlRequest,
    most: usize,
) -> Result<super::CopiedSql> {
    super::sql_pane::copy(app, request, most, call)
}

/// The cluster that a person means: Bobbin's number, the scheduler's id or its beginning, or a name that only one has.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] if several fit.
pub fn find_cluster(app: &App, text: &str) -> Result<ClusterRow> {
    answers::find_cluster(app, text)
}

fn read<T: DeserializeOwned>(name: &str, request: &str) -> Result<T> {
    let request = if request.trim().is_empty() {
        "{}"
    } else {
        request
    };
    serde_json::from_str(request).map_err(|error| Error::Invalid {
        what: "request",
        value: name.into(),
        reason: error.to_string(),
    })
}
