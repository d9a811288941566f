// Written from Rust by `cargo test -p bobbin-core typescript`. Not to be edited.

/** Every command: what it is asked with and what it answers. */
export interface Commands {
  /** What this Bobbin is and where it listens. */
  status: { request: Ask<Empty>; answer: Status };
  /** Totals of a period or a selection and of the one before, what is alive, and the five questions. */
  overview: { request: Ask<OverviewRequest>; answer: Overview };
  /** A measure by user, project, host or name over time. */
  heat_map: { request: Ask<HeatMapRequest>; answer: HeatMap };
  /** The clusters behind a period or a selection, with what they used in it. */
  cluster_uses: { request: Ask<ClusterUsesRequest>; answer: ClusterUses };
  /** The price book and its history. */
  prices: { request: Ask<Empty>; answer: PriceBook };
  /** Writes a price into the book, or corrects one. */
  set_price: { request: Ask<SetPriceRequest>; answer: PriceBook };
  /** Takes a price out of the book; its history stays. */
  remove_price: { request: Ask<RemovePriceRequest>; answer: PriceBook };
  /** Names the currency of all prices. */
  set_currency: { request: Ask<SetCurrencyRequest>; answer: PriceBook };
  /** What may be spent this month, and what of it is. */
  budgets: { request: Ask<BudgetsRequest>; answer: BudgetList };
  /** Writes a budget, or corrects one. */
  set_budget: { request: Ask<SetBudgetRequest>; answer: BudgetList };
  /** Takes a budget away. */
  remove_budget: { request: Ask<RemoveBudgetRequest>; answer: BudgetList };
  /** What one cluster cost, by operation. */
  cluster_cost: { request: Ask<ClusterRequest>; answer: ClusterCost };
  /** What each task group and each computation of one cluster cost. */
  group_costs: { request: Ask<ClusterRequest>; answer: GroupCosts };
  /** What clusters cost in a period, by user, project, host, name or tag. */
  cost_table: { request: Ask<CostTableRequest>; answer: CostTable };
  /** The dearest lines of code of some clusters, by their profiles. */
  line_costs: { request: Ask<ProfileSelection>; answer: LineCosts };
  /** The clusters that match, in some order. */
  clusters: { request: Ask<ClustersRequest>; answer: ClusterList };
  /** Everything about one cluster that is not a list of its own. */
  cluster: { request: Ask<ClusterRequest>; answer: Cluster };
  /** What one asks of a cluster first, each answered in a sentence that leads to its proof. */
  cluster_answers: { request: Ask<ClusterAnswersRequest>; answer: ClusterAnswers };
  /** What became of one cluster, in one word, and why that is said. */
  verdict: { request: Ask<ClusterRequest>; answer: Verdict };
  /** What the stored numbers say against how one cluster was used. */
  findings: { request: Ask<ClusterRequest>; answer: FindingList };
  /** The verdicts on some clusters, each with its weightiest reason. */
  verdicts: { request: Ask<VerdictsRequest>; answer: VerdictList };
  /** Workers, memory and tasks of one cluster over time. */
  timeline: { request: Ask<TimelineRequest>; answer: Timeline };
  /** What the threads of one cluster did: proportions over time, and what was done in a part of it. */
  thread_use: { request: Ask<ThreadUseRequest>; answer: ThreadUse };
  /** The workers of one cluster: what they do now, and their lives. */
  workers: { request: Ask<WorkersRequest>; answer: WorkerList };
  /** One measure of the workers of one cluster over time, each or how they are spread. */
  worker_series: { request: Ask<WorkerSeriesRequest>; answer: WorkerSeries };
  /** One measure of the workers of one cluster as a heat-map: the busiest by name, all others together. */
  worker_heat: { request: Ask<WorkerHeatRequest>; answer: WorkerHeat };
  /** The task groups of one cluster. */
  task_groups: { request: Ask<TaskGroupsRequest>; answer: TaskGroupList };
  /** The graph of one cluster's task groups, folded and laid out. */
  graph: { request: Ask<GraphRequest>; answer: Graph };
  /** What the graph does not say of one group. */
  graph_group: { request: Ask<GraphGroupRequest>; answer: GraphGroup };
  /** The computations of one cluster, with their code. */
  computations: { request: Ask<ComputationsRequest>; answer: ComputationList };
  /** One cluster and its computations, each against the last runs of the same. */
  baseline: { request: Ask<BaselineRequest>; answer: Baseline };
  /** What changed from one cluster to another: environment, code, wall clock in parts, groups and exceptions. */
  compare: { request: Ask<CompareRequest>; answer: Comparison };
  /** The spans of one cluster. */
  spans: { request: Ask<SpansRequest>; answer: SpanList };
  /** What the time and bytes of one cluster's workers went to, by span, prefix, activity and unit. */
  metrics: { request: Ask<MetricsRequest>; answer: MetricList };
  /** The same added up, by prefix, span or context. */
  activity: { request: Ask<ActivityRequest>; answer: Activity };
  /** The statistical profile of one cluster, merged. */
  profile: { request: Ask<ProfileRequest>; answer: Profile };
  /** Which profiles a selection merges, and from which clusters. */
  flame_about: { request: Ask<FlameAboutRequest>; answer: FlameAbout };
  /** What can be seen of a merged profile at some width, or of the callers and callees of a function. */
  flame: { request: Ask<FlameRequest>; answer: Flame };
  /** The functions of a merged profile, with a line of each. */
  flame_table: { request: Ask<FlameTableRequest>; answer: FlameTable };
  /** A line of source of one function. */
  flame_line: { request: Ask<FlameLineRequest>; answer: FlameLine };
  /** What takes more or less time in one selection than in another. */
  flame_difference: { request: Ask<FlameDifferenceRequest>; answer: FlameDifference };
  /** The exceptions of one cluster or of all. */
  exceptions: { request: Ask<ExceptionsRequest>; answer: ExceptionList };
  /** Failures of one type that went through the same functions, in one cluster or across all. */
  exception_kinds: { request: Ask<ExceptionKindsRequest>; answer: ExceptionKindList };
  /** The events of one cluster. */
  events: { request: Ask<EventsRequest>; answer: EventList };
  /** What the payloads of one cluster's events are made of: numbers to be drawn, words to be chosen from. */
  event_fields: { request: Ask<EventFieldsRequest>; answer: EventFields };
  /** The topics of one cluster's events: what was sent, and what was seen and not sent. */
  topics: { request: Ask<TopicsRequest>; answer: TopicList };
  /** What looked like a secret in code and exceptions when they came, by cluster. It needs no key, and tells no value. */
  secrets: { request: Ask<SecretsRequest>; answer: SecretList };
  /** What could come next in a filter that is being typed. */
  complete_filter: { request: Ask<CompleteRequest>; answer: Completion };
  /** Pins, tags, notes and names clusters by hand. */
  mark_clusters: { request: Ask<MarkRequest>; answer: Marked };
  /** The views of the list of clusters that are kept. */
  views: { request: Ask<Empty>; answer: ViewList };
  /** How many clusters each kept view lists now. */
  view_counts: { request: Ask<ViewCountsRequest>; answer: ViewCounts };
  /** Keeps a view; one of the same name is replaced. */
  save_view: { request: Ask<ClusterView>; answer: ViewList };
  /** Keeps the views of a text that was exported. */
  import_views: { request: Ask<ViewText>; answer: ViewList };
  /** Keeps a view no longer. */
  delete_view: { request: Ask<ViewName>; answer: ViewList };
  /** The names of users, and which of them are one person. */
  users: { request: Ask<Empty>; answer: UserList };
  /** Says that names of users are one person. */
  merge_users: { request: Ask<MergeUsersRequest>; answer: UserList };
  /** Says that a name of a user is a person of its own. */
  split_user: { request: Ask<SplitUserRequest>; answer: UserList };
  /** Takes the code of a computation out of the store, and never lets it in again. */
  forget_code: { request: Ask<CodeRequest>; answer: ForgottenCode };
  /** Lets code that was forgotten be stored when it comes again. */
  remember_code: { request: Ask<CodeRequest>; answer: ForgottenCode };
  /** What the store takes, its rules, and what is being deleted. */
  storage: { request: Ask<Empty>; answer: Storage };
  /** What some rules, or the deletion of some clusters, would remove. */
  removal_preview: { request: Ask<RemovalPreviewRequest>; answer: RemovalPreview };
  /** Sets what is kept for how long; for ten seconds nothing is removed by it. */
  set_retention: { request: Ask<RetentionRules>; answer: Storage };
  /** Says that this machine's clock is right, though far ahead of when Bobbin last ran. */
  trust_clock: { request: Ask<Empty>; answer: Storage };
  /** Deletes clusters, after ten seconds in which that can be undone. */
  delete_clusters: { request: Ask<DeleteRequest>; answer: Storage };
  /** Takes the deletion of clusters back, where it has not begun. */
  undo_delete: { request: Ask<UndoDeleteRequest>; answer: Storage };
  /** What was removed of one cluster, and by which rule. */
  cluster_pruned: { request: Ask<ClusterRequest>; answer: PrunedList };
  /** Looks for a text in names, tags, notes, functions and exceptions, or in what is sealed. */
  search: { request: Ask<SearchRequest>; answer: SearchAnswer };
  /** Stages clusters for a destination: writes the exact bytes that are to be looked at. */
  stage_clusters: { request: Ask<StageClustersRequest>; answer: Stage };
  /** The stages that there are. */
  stages: { request: Ask<Empty>; answer: StageList };
  /** A stage: categories with counts, what is left out, what keeps it from being approved. */
  stage: { request: Ask<StageRequest>; answer: Stage };
  /** The values of a stage, by category. */
  stage_items: { request: Ask<StageItemsRequest>; answer: StageItems };
  /** What looks like a secret in a stage. */
  stage_findings: { request: Ask<StageRequest>; answer: StageFindings };
  /** Decides upon categories, values and findings; the staged bytes are written anew. */
  decide_stage: { request: Ask<DecideRequest>; answer: Stage };
  /** Lines of the staged bytes, as they are. */
  stage_text: { request: Ask<StageTextRequest>; answer: StageText };
  /** A value or a line of a stage as a whole, piece by piece. */
  stage_whole: { request: Ask<StageWholeRequest>; answer: StageWhole };
  /** A piece of the staged file. */
  stage_bytes: { request: Ask<StageBytesRequest>; answer: StageBytes };
  /** Copies the staged file to a new one. */
  save_stage: { request: Ask<SaveStageRequest>; answer: Stage };
  /** Approves staged bytes by their hash. */
  approve_stage: { request: Ask<ApproveRequest>; answer: Stage };
  /** Where this install may send what was approved, what it sent, and what is on its way. */
  sends: { request: Ask<SendsRequest>; answer: Sends };
  /** Sends an approved bundle to the destination that it was approved for, in the background. */
  send: { request: Ask<SendRequest>; answer: Sends };
  /** Has a bundle deleted where it was sent; what waits is not sent. */
  recall_send: { request: Ask<SendRequest>; answer: Sends };
  /** Lets nothing more be sent, or takes that back. */
  pause_sends: { request: Ask<PauseSendsRequest>; answer: Sends };
  /** Says whether what was approved may be sent. */
  set_sharing: { request: Ask<SetSharingRequest>; answer: Sends };
  /** Removes a stage. */
  discard_stage: { request: Ask<StageRequest>; answer: StageList };
  /** The policy, approvals in advance, own words, and what waits to be looked at. */
  sharing_rules: { request: Ask<Empty>; answer: SharingRules };
  /** Adds words that are secrets, or forgets them. */
  own_words: { request: Ask<OwnWordsRequest>; answer: OwnWords };
  /** Approves numbers and names for a destination in advance, or takes that back. */
  stand: { request: Ask<StandingRequest>; answer: SharingRules };
  /** The private map of a destination: which alias stands for what. */
  aliases: { request: Ask<AliasesRequest>; answer: AliasMap };
  /** Writes a report of a cluster or of a comparison: what a bundle would tell, for anybody to read. */
  report: { request: Ask<ReportRequest>; answer: Report };
  /** Runs SQL that only reads, for a bounded time. */
  sql: { request: Ask<SqlRequest>; answer: SqlAnswer };
  /** Ends a question in SQL that is being answered. */
  cancel_sql: { request: Ask<SqlCancelRequest>; answer: SqlCancelled };
  /** The tables that SQL can ask. */
  sql_tables: { request: Ask<Empty>; answer: SqlTables };
  /** What a command asks of the store, as SQL that runs as it stands. */
  copy_sql: { request: Ask<CopySqlRequest>; answer: CopiedSql };
  /** Asks a cluster to close, where it allows that; the answer to its next report carries the order. */
  close_cluster: { request: Ask<ClusterRequest>; answer: CloseOrder };
  /** Says nothing of a cluster's idleness for an hour. */
  keep_idle: { request: Ask<ClusterRequest>; answer: IdleKept };
  /** Until when nothing is said of a cluster's idleness. */
  idle_kept: { request: Ask<ClusterRequest>; answer: IdleKept };
  /** The key that opens what is sealed: whether it is here, and where it lies. */
  keys: { request: Ask<Empty>; answer: KeyStatus };
  /** Reads the key again; a locked keyring may ask for its password. */
  unlock_key: { request: Ask<Empty>; answer: KeyStatus };
  /** Forgets the key in this process until it is unlocked. */
  lock_key: { request: Ask<Empty>; answer: KeyStatus };
  /** Moves the key into the file or the keyring. */
  move_key: { request: Ask<MoveKeyRequest>; answer: KeyStatus };
  /** What to print of the key, to have it back one day. */
  recovery_key: { request: Ask<Empty>; answer: RecoveryKey };
  /** Takes the offer of a recovery key away. */
  decline_recovery_key: { request: Ask<Empty>; answer: KeyStatus };
  /** Takes a key back from what was printed of it. */
  restore_key: { request: Ask<RestoreKeyRequest>; answer: KeyStatus };
  /** Replaces the key, and seals to the new one what the old one opens. */
  rotate_key: { request: Ask<Empty>; answer: KeyStatus };
  /** Begins with a new key where the old one is lost. */
  new_key: { request: Ask<Empty>; answer: KeyStatus };
  /** What ever left, and whether the chain of rows holds. */
  ledger: { request: Ask<Empty>; answer: LedgerAnswer };
  /** What is in a bundle that was handed over and not stored. */
  bundle_contents: { request: Ask<BundleRequest>; answer: BundleContents };
  /** Takes the clusters of such a bundle that are not here yet. */
  import_bundle: { request: Ask<BundleRequest>; answer: Imported };
  /** Opens such a bundle beside the store, in one of its own that only reads. */
  open_bundle: { request: Ask<BundleRequest>; answer: BundleContents };
  /** The newest clusters as somebody with a share of them would see them, opened beside the store. */
  lens: { request: Ask<LensRequest>; answer: BundleContents };
  /** Closes such a bundle; nothing of it stays but what was taken. */
  close_bundle: { request: Ask<BundleRequest>; answer: Empty };
  /** What this build is: its version, its formats, and the key whose releases it trusts. */
  this_build: { request: Ask<Empty>; answer: ThisBuild };
  /** Checks a release file, and says what it would change. Nothing is installed, and no connection opened. */
  check_release: { request: Ask<CheckReleaseRequest>; answer: ReleaseCheck };
  /** What the window does besides showing the page, and what this desktop lets it do. */
  desktop: { request: Ask<Empty>; answer: Desktop };
  /** Chooses what the window does. */
  set_desktop: { request: Ask<DesktopChoices>; answer: Desktop };
  /** Puts the window where a first start puts it. */
  reset_window: { request: Ask<Empty>; answer: Desktop };
  /** The recorded stories, and whether they are loaded. */
  demo: { request: Ask<Empty>; answer: Demo };
  /** Stores the recorded stories and the weeks before, as samples that ended a moment ago. */
  load_demo: { request: Ask<Empty>; answer: Demo };
  /** Removes all samples, replays among them. */
  remove_demo: { request: Ask<Empty>; answer: Demo };
  /** What is played once more, and how far it is. */
  replay: { request: Ask<Empty>; answer: Replay };
  /** Plays a recording through the receiver; pauses it, goes elsewhere in it, at another speed, ends it. */
  set_replay: { request: Ask<ReplayRequest>; answer: Replay };
  /** The receiver: where it listens, what the next start is told, and who gets in. */
  receiver_settings: { request: Ask<Empty>; answer: ReceiverSettings };
  /** Sets the port of the next start. */
  set_port: { request: Ask<SetPortRequest>; answer: ReceiverSettings };
  /** Sets the interface of the next start, on which other machines reach the receiver. */
  set_interface: { request: Ask<SetInterfaceRequest>; answer: ReceiverSettings };
  /** The owner's token, as text. */
  show_token: { request: Ask<Empty>; answer: TokenText };
  /** Replaces the owner's token; the old one lets nobody in any more. */
  replace_token: { request: Ask<SureRequest>; answer: TokenText };
  /** Takes back every key that was handed out. */
  revoke_keys: { request: Ask<SureRequest>; answer: ReceiverSettings };
  /** What arrives as files, and what of it was refused. */
  inbox_files: { request: Ask<Empty>; answer: InboxFiles };
  /** Sets the folders whose files are read, too, from the next start on. */
  set_inbox: { request: Ask<SetInboxRequest>; answer: InboxFiles };
  /** What clusters do not send, and what a reader keeps out. */
  privacy: { request: Ask<Empty>; answer: Privacy };
  /** Whether every scheduler of this user reports. */
  connection: { request: Ask<Empty>; answer: Connection };
  /** Makes every scheduler of this user report, or takes that back. */
  set_connection: { request: Ask<ConnectionRequest>; answer: Connection };
  /** Whether a cluster that starts now would be seen: what was looked at, what was found, and what to do. */
  doctor: { request: Ask<Empty>; answer: Examined };
  /** The lines by which a scheduler on another machine reports here. */
  remote_lines: { request: Ask<RemoteRequest>; answer: RemoteLines };
  /** What came in since a moment, and what was turned away. */
  reception: { request: Ask<ReceptionRequest>; answer: Reception };
  /** How far a wish to close a cluster has come. */
  close_order: { request: Ask<ClusterRequest>; answer: CloseOrder };
}

/** A request: what is left out has its default; only the number of a cluster must be given. */
export type Ask<R> = R extends { id: number } ? Pick<R, 'id'> & Partial<Omit<R, 'id'>> : Partial<R>;

/** How a command that fails answers, through every door. */
export type ApiError = {
  code: Code;
  /** What failed, in a sentence. */
  message: string;
  /** What to do about it, if anything. */
  hint: string | null;
};

/** How the names of files that are read here end. What a file is, its content says. */
export const fileEnds = ['.bobbin', '.batch', '.folded', '.gz', '.htm', '.html', '.json', '.msgpack', '.txt', '.yaml', '.yml'] as const;

/**
 * What a hub says of an account: who reads there, and what is taken.
 */
export type AccountSaid = { 
/**
 * When it said so.
 */
as_of_micros: Micros, 
/**
 * The most that a bundle may tell; null where nobody said so.
 */
level: string | null, 
/**
 * Who can read all that is shared, by what else they may.
 */
viewers: number, members: number, admins: number, 
/**
 * How many days its backups live, which may hold what was recalled; null where whoever runs it does not say.
 */
backup_days: number | null, };

/**
 * Seconds that workers spent, summed over tasks, by the activity names of Dask's `TaskGroup.all_durations`.
 */
export type Activities = { 
/**
 * Running the user's functions.
 */
compute: number, 
/**
 * Moving data between workers.
 */
transfer: number, 
/**
 * Reading spilled data back.
 */
disk_read: number, 
/**
 * Spilling data to disk.
 */
disk_write: number, 
/**
 * Unpickling functions and their arguments.
 */
deserialize: number, 
/**
 * Activities that this version of Bobbin does not know by name.
 */
other: number, };

/**
 * What the workers' time and bytes went to, added up. The event loops of workers run beside everything else: they are in
 * no sum.
 */
export type Activity = { 
/**
 * Most seconds first; at most 1,000.
 */
sums: Array<ActivitySum>, total: number, truncated: boolean, 
/**
 * Of all sums.
 */
seconds: number, 
/**
 * Of everything, most seconds first.
 */
lines: Array<ActivityLine>, };

/**
 * What the time of workers is summed by.
 */
export type ActivityBy = "prefix" | "span" | "context";

/**
 * One activity in Dask's own words; null is not counted in this unit.
 */
export type ActivityLine = { context: string, activity: string, seconds: number | null, bytes: number | null, count: number | null, 
/**
 * Units that Bobbin does not know.
 */
others: Array<ActivityUnit>, };

export type ActivityPart = { kind: MetricKind, seconds: number, };

export type ActivityRequest = { id: number, by: ActivityBy, 
/**
 * Only of this prefix.
 */
prefix: string | null, };

export type ActivitySum = { 
/**
 * The prefix, the `span_id` or the context; null: what is of none.
 */
of: string | null, seconds: number, bytes: number, 
/**
 * They sum to `seconds`.
 */
parts: Array<ActivityPart>, 
/**
 * What it is made of, most seconds first.
 */
lines: Array<ActivityLine>, };

export type ActivityUnit = { unit: string, value: number, };

/**
 * What stands for what in shares with a destination. It never leaves this machine.
 */
export type AliasMap = { aliases: Array<AliasOf>, total: number, };

export type AliasOf = { alias: string, 
/**
 * Null for what the store keeps sealed, such as code: it is recognised, and not written down again.
 */
real: string | null, };

/**
 * Asks for the private map of a destination.
 */
export type AliasesRequest = { destination: string, 
/**
 * What stands in the alias or in the value.
 */
text: string, offset: number, };

/**
 * A question that a person asks first, answered.
 */
export type Answer = { question: string, 
/**
 * One sentence, with a number.
 */
answer: string, 
/**
 * The figures behind it.
 */
because: string, tone: Tone, proof: Proof, };

/**
 * Which clusters a price is for. Patterns fit in any case; `*` stands for any text.
 */
export type AppliesTo = { "is": "everything" } | { "is": "host", pattern: string, } | { "is": "project", pattern: string, } | { "is": "tag", name: string, pattern: string, };

/**
 * Approves staged bytes for their destination, or to be saved as a file.
 */
export type ApproveRequest = { id: number, 
/**
 * Of the bytes that were looked at.
 */
sha256: string, 
/**
 * To save them as a file alone: nothing is sent by such an approval.
 */
to_save: boolean, };

/**
 * One cluster and its computations, each against the last runs of the same.
 */
export type Baseline = { 
/**
 * The cluster as the sum of its computations; null while it has none.
 */
cluster: History | null, 
/**
 * Newest first, at most 100.
 */
computations: Array<ComputationHistory>, total: number, truncated: boolean, };

export type BaselineRequest = { 
/**
 * Bobbin's number of the cluster.
 */
id: number, };

/**
 * How a run stands to its history.
 */
export type BaselineVerdict = "faster" | "same" | "slower" | "unlike" | "too_few" | "running";

/**
 * A package as it lies on the disk.
 */
export type BesidePackage = { name: string, bytes: number, 
/**
 * In hexadecimal; null where the size alone says that it is another file.
 */
sha256: string | null, };

/**
 * Why a stage cannot be approved.
 */
export type Blocker = { kind: BlockerKind, count: number, };

export type BlockerKind = "open_findings" | "writing" | "not_written";

/**
 * The budgets of this month, the fullest first.
 */
export type BudgetList = { currency: string, 
/**
 * The month.
 */
from_micros: Micros, 
/**
 * Exclusive.
 */
to_micros: Micros, rows: Array<BudgetRow>, };

export type BudgetRow = { id: number, covers: Covers, 
/**
 * In billionths of the currency, for a month.
 */
amount_nanos: number, 
/**
 * Since the month began; null where nothing of it has a price.
 */
spent: Cost | null, 
/**
 * Of the amount; 1 is all of it.
 */
share: Range | null, 
/**
 * The largest of 50, 80 and 100 percent that the middle of it has reached; 0 before.
 */
reached_percent: number, 
/**
 * What the month will cost if it goes on as it began; null in its first day.
 */
expected: Money | null, };

export type BudgetsRequest = { 
/**
 * By the rules of this zone the month is cut; empty is UTC.
 */
time_zone: string, };

/**
 * What is in a bundle of one cluster.
 */
export type BundleClusterContents = { cluster_id: string, name: string | null, 
/**
 * The latest that was known of it.
 */
as_of_micros: Micros, 
/**
 * By kind.
 */
records: { [key in string]: number }, 
/**
 * What became of the values of each class.
 */
classes: Array<ClassCount>, 
/**
 * Records that never arrived.
 */
missing_records: number, 
/**
 * Records that were removed by age or for room before the bundle was written.
 */
pruned_records: number, 
/**
 * Why it would not be taken into the store; null where it would be.
 */
not_taken: string | null, };

/**
 * What is in a bundle, of which nothing is stored yet.
 */
export type BundleContents = { id: string, 
/**
 * What the file is called.
 */
name: string, 
/**
 * Of the file.
 */
bytes: number, 
/**
 * Of the file, in hexadecimal.
 */
sha256: string, 
/**
 * Version of the format.
 */
format: number, 
/**
 * The version of Bobbin that wrote it.
 */
bobbin: string, choice: Choice, 
/**
 * Parts whose hashes were compared, all of them.
 */
batches: number, 
/**
 * Of plain text.
 */
plain_bytes: number, clusters: Array<BundleClusterContents>, 
/**
 * Whether it is open beside the store.
 */
open: boolean, 
/**
 * Which clusters it draws, where it is the store itself as a share of it would be.
 */
lens: LensPage | null, 
/**
 * Of which kind the file is, where it is no bundle: then a bundle was made of it, and looked at.
 */
source: SourceFormat | null, };

/**
 * Which bundle is meant.
 */
export type BundleRequest = { 
/**
 * As it was given when the bundle was offered.
 */
id: string, };

/**
 * What belongs together on the desk.
 */
export type Category = "clusters" | "projects" | "users" | "hosts" | "addresses" | "workers" | "paths" | "functions" | "keys" | "spans" | "environment" | "words" | "exception_types" | "messages" | "tracebacks" | "code" | "lines" | "topics" | "payloads";

/**
 * Null takes a decision back.
 */
export type CategoryDecision = { category: Category, decision: Decision | null, };

/**
 * Something was stored.
 */
export type Change = { 
/**
 * Rises with every change since this Bobbin started.
 */
revision: number, 
/**
 * Bobbin's numbers of the clusters that changed, in order; none where any may have.
 */
cluster_ids: Array<number>, };

/**
 * Asks what a release file says, and whether to believe it.
 */
export type CheckReleaseRequest = { 
/**
 * The whole file.
 */
file: string, 
/**
 * The public key that must have signed it; the one of this build where none is named.
 */
key: string | null, 
/**
 * The packages that lie beside it, of those that it names; null where nobody looked.
 */
beside: Array<BesidePackage> | null, 
/**
 * The folder of the file, for the commands that install; the present one where none is named.
 */
folder: string | null, };

/**
 * A package of a release.
 */
export type CheckedPackage = { name: string, bytes: number, sha256: string, 
/**
 * Whether it was compared, and is the one that was released. Where it was not, nobody looked, or it does not lie beside the file.
 */
checked: boolean, };

/**
 * All checks, in the order in which they are shown.
 */
export type Checkup = { 
/**
 * Of this binary.
 */
version: string, 
/**
 * Whether nothing is wrong.
 */
healthy: boolean, checks: Array<DoctorCheck>, };

/**
 * What a person chose to tell.
 */
export type Choice = { level: Level, identities: Identities, };

/**
 * What became of the values of one class of fields.
 */
export type ClassCount = { class: FieldClass, told: number, masked: number, withheld: number, };

/**
 * A wish to close a cluster, and how far it has come.
 */
export type CloseOrder = { state: CloseState, 
/**
 * Null, as the others, until it was ordered.
 */
ordered_micros: Micros | null, 
/**
 * When a receipt first carried it; null until then.
 */
delivered_micros: Micros | null, 
/**
 * It is not obeyed after this.
 */
expires_micros: Micros | null, 
/**
 * For how long an order of now would stand.
 */
valid_micros: number, };

/**
 * How far a wish to close a cluster has come.
 */
export type CloseState = "not_ordered" | "ordered" | "delivered" | "expired" | "closed" | "not_allowed" | "too_late";

/**
 * Everything about one cluster that is not a list of its own.
 */
export type Cluster = { row: ClusterRow, facts: ClusterFacts, 
/**
 * Seconds by activity over all groups.
 */
seconds: Activities, 
/**
 * Null where nothing computed.
 */
largest: LargestPrefix | null, 
/**
 * What is missing from the record.
 */
losses: Losses, };

/**
 * What a person asks first of one cluster, answered.
 */
export type ClusterAnswers = { rows: Array<Answer>, };

export type ClusterAnswersRequest = { 
/**
 * Bobbin's number of the cluster.
 */
id: number, 
/**
 * Whether the answers include what it cost.
 */
cost: boolean, };

/**
 * A column of the list of clusters.
 */
export type ClusterColumn = "state" | "verdict" | "user" | "host" | "project" | "started" | "stopped" | "last_work" | "duration" | "workers" | "threads" | "memory" | "tasks" | "erred" | "compute" | "cluster_time" | "stalled" | "efficiency" | "exceptions" | "cost" | "tags" | "note";

/**
 * What a cluster cost, and what for. Operations sum exactly to it, and so do the groups of each.
 */
export type ClusterCost = { now_micros: Micros, 
/**
 * Null: no price was in force when it began, or nothing was heard of its threads.
 */
cost: Cost | null, 
/**
 * The price that was in force when it began.
 */
price: Price | null, 
/**
 * What an hour costs as it stands now; null when it is over.
 */
an_hour: Money | null, 
/**
 * Of all its threads.
 */
thread_micros: number, 
/**
 * What was assumed, a sentence each.
 */
assumptions: Array<string>, 
/**
 * Dearest first; what is idle is one of them, and of it what is known to have stalled another.
 */
operations: Array<OperationCost>, };

export type ClusterFacts = { 
/**
 * The user that it named itself; the row says whom that counts as.
 */
said_user: string | null, cluster_class: string | null, scheduler_address: string | null, dashboard_url: string | null, python_version: string | null, python_path: string | null, os: string | null, architecture: string | null, plugin_version: string, interval_micros: number, 
/**
 * The plugin closes a cluster that was idle for this long; null is never.
 */
idle_timeout_micros: number | null, 
/**
 * Package to version; null where the package is not installed.
 */
versions: { [key in string]: string | null }, 
/**
 * Interpreter, operating system, byte order and locale of the scheduler, by Dask's words.
 */
host_versions: { [key in string]: string | null }, 
/**
 * Versions of workers and clients that are not the scheduler's.
 */
mismatches: Array<VersionMismatch>, 
/**
 * What its version of Dask does not tell, in short stable words such as `spans`.
 */
unavailable: Array<string>, 
/**
 * Categories that are off at source, and since when: `code`, `profile`, `exceptions`, `names`, `user`, `host`,
 * `paths`, `events`. Once off is off: what is in here is not stored.
 */
off_since: { [key in string]: Micros }, 
/**
 * Where it came in a bundle: what became of it there.
 */
from_bundle: FromBundle | null, remote_close_allowed: boolean, events_allow: Array<string>, 
/**
 * Why it stopped, as the plugin said.
 */
stop_reason: string | null, plugin_cost: PluginCost, };

/**
 * How much is told of one cluster of a stage.
 */
export type ClusterLevel = { 
/**
 * Bobbin's number of it.
 */
id: number, level: Level, };

export type ClusterList = { rows: Array<ClusterRow>, 
/**
 * Of all costs.
 */
currency: string, 
/**
 * How many match, whatever the limit.
 */
total: number, 
/**
 * Whether rows beyond these exist.
 */
truncated: boolean, };

/**
 * What the list is ordered by.
 */
export type ClusterOrder = "started" | "name" | "user" | "host" | "project" | "seen" | "last_work" | "duration" | "workers_peak" | "threads_peak" | "memory_peak" | "tasks_completed" | "compute_seconds" | "thread_seconds" | "stalled_seconds" | "efficiency" | "exceptions" | "cost";

export type ClusterRequest = { 
/**
 * Bobbin's number of the cluster.
 */
id: number, };

/**
 * One cluster with its numbers.
 */
export type ClusterRow = { 
/**
 * Bobbin's own number, from 1.
 */
id: number, scheduler_id: string, 
/**
 * It is told from a recording: a story of the demo, or a replay. In no sum of one's own clusters.
 */
sample: boolean, name: string, state: ClusterState, 
/**
 * It is finished because a reader said so when it was lost.
 */
finished_by_hand: boolean, 
/**
 * Why `state` says so, in a few words.
 */
state_evidence: string, user: string | null, host: string | null, project: string | null, 
/**
 * From its own configuration.
 */
tags: { [key in string]: string }, 
/**
 * By hand; a tag that is a word alone has an empty value.
 */
own_tags: { [key in string]: string }, 
/**
 * What it was called by hand; then `name` is the same.
 */
given_name: string | null, note: string | null, pinned: boolean, started_micros: Micros, 
/**
 * Null until it finished. For a lost cluster: its last sample.
 */
stopped_micros: Micros | null, 
/**
 * By this machine's clock.
 */
last_heard_micros: Micros, 
/**
 * Since when it has nothing to do; null while busy or over.
 */
idle_since_micros: Micros | null, 
/**
 * When the last task ended, well or not, by the scheduler's clock.
 */
last_completed_micros: Micros | null, 
/**
 * For how long no task has ended, as of now; null when it is over or none has ended yet.
 */
since_completed_micros: number | null, 
/**
 * At its last sample; once it finished, at the last that had any.
 */
workers: number, threads: number, workers_peak: number, threads_peak: number, memory_used_bytes: number | null, memory_peak_bytes: number | null, memory_limit_bytes: number | null, 
/**
 * Tasks known to the scheduler at that sample, by state.
 */
tasks: { [key in string]: number }, 
/**
 * Those of them that have been worked on; the rest is still to come.
 */
tasks_done: number, tasks_completed: number, tasks_erred: number, compute_seconds: number, thread_seconds: number, 
/**
 * Of it, that in which threads did nothing while the cluster was stalled.
 */
stalled_seconds: number, 
/**
 * Compute ÷ (threads × time); null until there was any time.
 */
efficiency: number | null, result_bytes: number, computations: number, 
/**
 * Distinct exceptions.
 */
exceptions: number, 
/**
 * By the price in force when it began; null without one, or where nothing was heard of its threads.
 */
cost: Money | null, 
/**
 * What is not told of it, as far as figures above are about it, in the words of its facts: a 0 of these is no zero.
 */
unavailable: Array<string>, 
/**
 * Null for a cluster that was not read from a file of another program.
 */
source: SourceFormat | null, };

/**
 * What looks like a secret in the sealed code and exceptions of a cluster. Known also while they cannot be opened.
 */
export type ClusterSecrets = { cluster_id: number, 
/**
 * Code first.
 */
kinds: Array<SecretKind>, 
/**
 * Computations and exceptions with so much text that not all of it was looked at when it came.
 */
unlooked: number, };

/**
 * What a cluster is doing, derived at reading time from its last batch and never stored.
 */
export type ClusterState = "running" | "stalled" | "idle" | "finished" | "lost";

export type ClusterUse = { cluster: ClusterRow, 
/**
 * In the selection alone.
 */
used: UsageTotals, memory_peak_bytes: number | null, };

/**
 * The clusters behind a period or a selection, with what they used in it.
 */
export type ClusterUses = { rows: Array<ClusterUse>, total: number, truncated: boolean, currency: string, };

export type ClusterUsesRequest = { from_micros: Micros | null, to_micros: Micros | null, by: HeatRows | null, cells: Array<SelectedCells>, 
/**
 * What the list is ordered by, most first.
 */
measure: Measure, 
/**
 * 0 is 50; no more than 500.
 */
limit: number, };

/**
 * A list of clusters to come back to: which, in what order, with what columns.
 */
export type ClusterView = { name: string, filter: string, order: ClusterOrder, direction: Direction, 
/**
 * From left to right; the name is always first.
 */
columns: Array<ClusterColumn>, };

/**
 * Which clusters to list.
 */
export type ClustersRequest = { 
/**
 * A typed filter: `user:ana workers>=10 has:exception since:7d -tag:ci`. Words alone are part of the name, user,
 * host, project, a tag, the note or the scheduler's id, in any case.
 */
text: string | null, 
/**
 * The days of the filter are cut by the rules of this zone, such as `Europe/Berlin`; empty is UTC.
 */
time_zone: string, 
/**
 * Only these states; none is all.
 */
states: Array<ClusterState>, 
/**
 * Only clusters that reported at or after this.
 */
from_micros: Micros | null, 
/**
 * Only clusters that reported before this.
 */
to_micros: Micros | null, 
/**
 * Only clusters of this row of the heat-map.
 */
label: string | null, 
/**
 * Only this user.
 */
user: string | null, 
/**
 * Only these; none is all.
 */
ids: Array<number>, order: ClusterOrder, direction: Direction, 
/**
 * At most this many; 0 is 100, and no more than 1,000 are given.
 */
limit: number, offset: number, };

/**
 * What somebody may act on; nobody matches on a message.
 */
export type Code = "invalid" | "too_large" | "not_found" | "refused" | "busy" | "disk_full" | "store" | "internal";

/**
 * The code of both runs.
 */
export type CodeComparison = { "is": "same", snippets: number, } | { "is": "different", snippets: Array<SnippetDifference>, } | { "is": "missing", both: boolean, b: boolean, } | { "is": "locked", same: boolean, };

/**
 * The code of one computation.
 */
export type CodeRequest = { cluster_id: number, computation_id: string, };

/**
 * Which two clusters. What is left out is the other one's baseline: the cluster whose time is the median of its runs before.
 */
export type CompareRequest = { a: number | null, b: number | null, 
/**
 * Times, tasks and bytes for each thousand tasks, for runs of different size.
 */
per_task: boolean, };

/**
 * One of the two runs. Times add up: start-up, working and idle are the wall clock.
 */
export type ComparedRun = { id: number, name: string, state: ClusterState, started_micros: Micros, 
/**
 * Of so many earlier runs it is the one with the median time; null where it was chosen by its number.
 */
typical_of: number | null, wall_micros: number, startup_micros: number, working_micros: number, idle_micros: number, tasks: number, erred: number, result_bytes: number, computations: number, workers_peak: number, workers_lost: number, 
/**
 * While it worked, on average; null where nothing tells.
 */
threads: number | null, };

/**
 * What changed from A to B.
 */
export type Comparison = { a: ComparedRun, b: ComparedRun, 
/**
 * The most telling first, what is equal after that.
 */
environment: Array<EnvironmentRow>, code: CodeComparison, 
/**
 * In what they are not alike, in words, to be said before any number.
 */
unlike: Array<string>, 
/**
 * What was not looked at, in words.
 */
left_out: Array<string>, 
/**
 * B ran other numbers of tasks: a comparison for each thousand tasks says more.
 */
better_per_task: boolean, waterfall: Waterfall, 
/**
 * By prefix; the largest difference in thread time first.
 */
groups: Array<GroupDifference>, 
/**
 * By type and prefix; those of one run alone first.
 */
exceptions: Array<ExceptionDifference>, };

/**
 * A filter that is being typed.
 */
export type CompleteRequest = { text: string, 
/**
 * Where the caret stands, in letters (code points) from 0.
 */
caret: number, 
/**
 * Days are cut by the rules of this zone, such as `Europe/Berlin`; empty is UTC.
 */
time_zone: string, };

/**
 * What could stand in the place of the word at the caret.
 */
export type Completion = { 
/**
 * The word's place, in letters: from, and one after the last.
 */
from: number, to: number, options: Array<CompletionOption>, 
/**
 * Whether there are more than these.
 */
truncated: boolean, 
/**
 * Why the text as it stands is no filter; null where it is one.
 */
problem: string | null, };

export type CompletionOption = { 
/**
 * What to put there. A key ends with its sign, and a value follows.
 */
text: string, 
/**
 * What it means; empty where the text says it.
 */
means: string, 
/**
 * How many clusters of those that the rest of the filter leaves; null for a key.
 */
clusters: number | null, };

/**
 * The code that started a computation, or why there is none.
 */
export type ComputationCode = { "is": "frames", frames: Array<Frame>, } | { "is": "off" } | { "is": "not_captured" } | { "is": "locked" } | { "is": "forgotten", 
/**
 * It is not stored when it comes again, either.
 */
for_good: boolean, };

export type ComputationHistory = { computation_id: string, history: History, };

export type ComputationList = { 
/**
 * Newest first.
 */
rows: Array<ComputationRow>, total: number, truncated: boolean, };

/**
 * All of its groups together: a group of two computations counts in both.
 */
export type ComputationMoney = { computation_id: string, money: Money, };

export type ComputationRow = { computation_id: string, cluster_id: number, start_micros: Micros | null, 
/**
 * Null while it runs.
 */
stop_micros: Micros | null, 
/**
 * `group_id`s.
 */
groups: Array<string>, 
/**
 * Over its groups.
 */
states: { [key in string]: number }, 
/**
 * Tasks that have been worked on; the rest is still to come.
 */
tasks_done: number, 
/**
 * Attempts that failed and were made again; null where Dask does not tell.
 */
retried: number | null, seconds: Activities, code: ComputationCode, };

export type ComputationsRequest = { id: number, 
/**
 * Only those that were going on in this time.
 */
from_micros: Micros | null, to_micros: Micros | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

/**
 * Whether every scheduler of this user reports, and by which file.
 */
export type Connection = { connected: boolean, 
/**
 * The file that was written, or would be.
 */
file: string, 
/**
 * What it says, while there is one.
 */
text: string | null, 
/**
 * The plugin that schedulers load.
 */
plugin: string, 
/**
 * What keeps the file from having its effect.
 */
warnings: Array<string>, };

/**
 * Connects this machine, or takes that back.
 */
export type ConnectionRequest = { connected: boolean, };

/**
 * The same question as SQL, its values written into it.
 */
export type CopiedSql = { 
/**
 * Runs as it stands, in `bobbin sql` and in any tool with SQLite 3.42 or newer.
 */
sql: string, 
/**
 * Statements in it: what the panel shows is derived from all of them.
 */
statements: number, 
/**
 * Whether there were more statements.
 */
truncated: boolean, };

/**
 * A command as a panel asks it.
 */
export type CopySqlRequest = { command: string, 
/**
 * Its request as JSON.
 */
request: string, };

/**
 * What a cluster or a period cost.
 */
export type Cost = { currency: string, total: Money, 
/**
 * Of it, for threads that had nothing to do.
 */
idle: Money, 
/**
 * Of it, for threads that did nothing while work was assigned and for too long none of it had ended.
 */
stalled: Money, 
/**
 * Time of threads for which no price was in force: it is in neither figure.
 */
unpriced_seconds: number, 
/**
 * Which prices, as words.
 */
words: string, };

/**
 * What a row or a column of the table of costs stands for.
 */
export type CostBy = { "is": "user" } | { "is": "project" } | { "is": "host" } | { "is": "name" } | { "is": "span" } | { "is": "tag", name: string, };

/**
 * The cost of a row in a column.
 */
export type CostCell = { 
/**
 * Null: clusters that have none.
 */
row: string | null, column: string | null, 
/**
 * Of all columns together that are not told.
 */
others: boolean, 
/**
 * Null without a price.
 */
cost: Money | null, };

/**
 * What clusters cost, by whom. Rows sum to the whole.
 */
export type CostTable = { from_micros: Micros, 
/**
 * Exclusive.
 */
to_micros: Micros, currency: string, 
/**
 * Dearest first, at most 1,000.
 */
rows: Array<CostTableRow>, 
/**
 * How many there are.
 */
rows_total: number, 
/**
 * Of all rows.
 */
all: UsageTotals, 
/**
 * What the rows are parted by, dearest first, at most 13; empty where that was not asked for.
 */
columns: Array<CostTableRow>, 
/**
 * How many there are.
 */
columns_total: number, 
/**
 * What all rows cost in the columns beyond these; null where there is none, or no price.
 */
others: Money | null, 
/**
 * The parts of each row that is told: those of a row sum to it.
 */
cells: Array<CostCell>, 
/**
 * Tags of these clusters, by name, at most 100.
 */
tags: Array<string>, };

/**
 * What clusters cost, by whom: of a period, or of the last 28 times 24 hours.
 */
export type CostTableRequest = { from_micros: Micros | null, 
/**
 * Exclusive.
 */
to_micros: Micros | null, by: CostBy, 
/**
 * What the costs of a row are parted by, too.
 */
across: CostBy | null, };

export type CostTableRow = { 
/**
 * Null: clusters that have none.
 */
label: string | null, used: UsageTotals, };

/**
 * Which clusters a budget covers.
 */
export type Covers = { "is": "everything" } | { "is": "user", user: string, } | { "is": "project", project: string, } | { "is": "tag", name: string, value: string, };

/**
 * The chain of groups that takes the longest, each with its wall time and after all that it needs.
 */
export type CriticalPath = { groups: number, 
/**
 * Wall times along the chain. Groups overlap, so that it may be more than `clock_seconds`.
 */
seconds: number, 
/**
 * From the first start to the last end of all groups.
 */
clock_seconds: number, };

/**
 * Decides upon values of a stage. What is decided is remembered for its destination, and holds in later stages, too.
 */
export type DecideRequest = { id: number, categories: Array<CategoryDecision>, items: Array<ItemDecision>, findings: Array<FindingDecision>, };

/**
 * What becomes of a value.
 */
export type Decision = "keep" | "mask" | "drop";

/**
 * Clusters to delete.
 */
export type DeleteRequest = { 
/**
 * Bobbin's numbers, at most 1,000.
 */
ids: Array<number>, 
/**
 * Without ten seconds to undo it.
 */
at_once: boolean, };

/**
 * A cluster that is to be deleted.
 */
export type Deletion = { id: number, name: string, 
/**
 * Until then it can be undone.
 */
due_micros: Micros, 
/**
 * It can be no more.
 */
begun: boolean, };

/**
 * The recorded stories.
 */
export type Demo = { 
/**
 * Whether there are samples in the store, replays among them.
 */
loaded: boolean, 
/**
 * How many.
 */
clusters: number, 
/**
 * Nothing but samples is stored: then the overview sums them up, for want of anything else.
 */
only: boolean, 
/**
 * By this id the samples are looked at by themselves, as a bundle beside the store.
 */
beside: string, stories: Array<DemoStory>, };

/**
 * One recorded story.
 */
export type DemoStory = { 
/**
 * By which it is asked for.
 */
name: string, title: string, 
/**
 * What there is to see, in a sentence.
 */
about: string, 
/**
 * Its cluster, where it is loaded.
 */
cluster: number | null, };

/**
 * How much a recording of one's own cluster tells.
 */
export type DemoTells = "numbers" | "names" | "code";

/**
 * What the window does, and what this desktop lets it do.
 */
export type Desktop = { 
/**
 * Why there is no window to choose anything for; null in the window.
 */
no_window: string | null, choices: DesktopChoices, 
/**
 * Why closing the window cannot leave Bobbin in the tray now; null: it can.
 */
no_tray: string | null, 
/**
 * Why no notice can be shown now; null: it can.
 */
no_notices: string | null, 
/**
 * Why Bobbin cannot start at login; null: it can.
 */
no_login: string | null, };

/**
 * What was chosen; `desktop.json` in the data folder.
 */
export type DesktopChoices = { on_close: OnClose, 
/**
 * Begin with the session of the desktop, without a window.
 */
start_at_login: boolean, notices: NoticeChoices, };

/**
 * What a destination is.
 */
export type DestinationKind = "hub" | "folder" | "store";

/**
 * A line that is in A, in B (numbers from 1), or in both.
 */
export type DiffLine = { a: number | null, b: number | null, text: string, };

/**
 * Which way the list runs.
 */
export type Direction = "ascending" | "descending";

/**
 * One thing that was looked at.
 */
export type DoctorCheck = { name: string, verdict: DoctorVerdict, found: string, 
/**
 * What to do; null where there is nothing to do.
 */
hint: string | null, };

/**
 * What a check found.
 */
export type DoctorVerdict = "ok" | "note" | "wrong";

/**
 * Nothing to say.
 */
export type Empty = Record<symbol, never>;

/**
 * What a fact of the environment is about.
 */
export type EnvironmentArea = "package" | "python" | "system" | "workers" | "configuration";

export type EnvironmentRow = { area: EnvironmentArea, name: string, 
/**
 * Null: not there, or not told.
 */
a: string | null, b: string | null, differs: boolean, };

/**
 * What the payloads of a cluster's events are made of.
 */
export type EventFields = { 
/**
 * Fields with numbers, by topic, most values first, at most 12; and how many there are, counted up to 1,000.
 */
numbers: Array<EventNumbers>, numbers_total: number, 
/**
 * Fields with words, most values first, at most 12; and how many there are, counted up to 1,000.
 */
words: Array<EventWords>, words_total: number, 
/**
 * Events that match, newest first, at most 200.
 */
rows: Array<EventRow>, 
/**
 * How many match, of those that were looked at.
 */
matching: number, 
/**
 * Events that were looked at, the newest first, at most 5,000; and how many there are in this time.
 */
looked_at: number, total: number, 
/**
 * Payloads that could not be opened: the key is missing.
 */
locked: number, };

export type EventFieldsRequest = { id: number, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * Only events that have this field with this value, by its words.
 */
field: string | null, value: string | null, };

export type EventList = { 
/**
 * Newest first.
 */
rows: Array<EventRow>, total: number, truncated: boolean, };

export type EventNumbers = { topic: string, 
/**
 * The path of the field, such as `metrics.loss`.
 */
field: string, 
/**
 * Columns of one length, oldest first.
 */
at_micros: Array<Micros>, values: Array<number>, };

export type EventRow = { cluster_id: number, at_micros: Micros, topic: string, 
/**
 * The payload as JSON text.
 */
payload: SealedText, };

export type EventWord = { value: string, count: number, };

export type EventWords = { field: string, 
/**
 * Most events first, at most 20.
 */
values: Array<EventWord>, 
/**
 * Different values in all.
 */
total: number, };

export type EventsRequest = { id: number, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

/**
 * One reason.
 */
export type Evidence = { about: EvidenceKind, 
/**
 * The figure in a clause, such as `threads were idle for 62 % of their time`.
 */
words: string, 
/**
 * The same figure, exact.
 */
value: number, unit: EvidenceUnit, 
/**
 * From where on it counts, and why.
 */
rule: string, 
/**
 * Where the proof is; null: on the charts.
 */
tab: EvidenceTab | null, 
/**
 * The item of that list.
 */
item: string | null, };

/**
 * What a line of evidence is about.
 */
export type EvidenceKind = "state" | "erred_tasks" | "lost_workers" | "stalled" | "idle_share" | "spilled_bytes" | "skew" | "transfer_share" | "event_loop_lag" | "short_tasks" | "compute_share" | "tasks_completed" | "versions" | "large_graph" | "single_tasks" | "large_results" | "paused_workers" | "unpickling" | "retried" | "idle_before" | "idle_after";

/**
 * The list of the cluster that has the proof.
 */
export type EvidenceTab = "groups" | "exceptions" | "workers" | "activity" | "computations" | "cost" | "facts";

/**
 * What the figure of a line of evidence counts.
 */
export type EvidenceUnit = "share" | "count" | "bytes" | "seconds" | "times";

/**
 * The checks, and the same as text to be pasted.
 */
export type Examined = { checkup: Checkup, text: string, };

/**
 * The last cluster before the first with a failure that had tasks of the same prefix and not this failure.
 */
export type ExceptionBefore = { cluster_id: number, cluster_name: string, started_micros: Micros, prefix: string, 
/**
 * What was another version in the first cluster with it: Dask and Python first, at most 8.
 */
versions: Array<VersionChange>, };

export type ExceptionDifference = { exception_type: string, prefix: string | null, a: number, b: number, };

/**
 * Failures of one type that went through the same functions.
 */
export type ExceptionKind = { fingerprint: string, 
/**
 * The one that was seen last.
 */
newest: ExceptionRow, 
/**
 * The worker that it was on, where it is known by more than its address.
 */
worker_id: string | null, 
/**
 * The last computation that it was part of.
 */
computation_id: string | null, 
/**
 * Clusters among those that were asked for, and in the whole store.
 */
clusters: number, ever_clusters: number, count: number, dependents: number, first_seen_micros: Micros, last_seen_micros: Micros, ever_first_seen_micros: Micros, 
/**
 * The last run of the same tasks without it; null where there is none before it.
 */
before: ExceptionBefore | null, 
/**
 * The last seen first, at most 50.
 */
places: Array<ExceptionPlace>, places_total: number, };

export type ExceptionKindList = { 
/**
 * The last seen first.
 */
rows: Array<ExceptionKind>, total: number, truncated: boolean, };

/**
 * Which kinds of exceptions to list.
 */
export type ExceptionKindsRequest = { 
/**
 * Of one cluster; null is of all.
 */
id: number | null, 
/**
 * Seen at or after this, and before `to_micros`.
 */
from_micros: Micros | null, to_micros: Micros | null, user: string | null, 
/**
 * Only of this group.
 */
group_id: string | null, 
/**
 * Only on this worker, by its address.
 */
worker: string | null, 
/**
 * Part of the type, of the name of a group, or of the address of a worker; of all clusters, also of the name of one.
 * Messages are sealed: they are not looked into.
 */
text: string | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

export type ExceptionList = { 
/**
 * Newest first.
 */
rows: Array<ExceptionRow>, total: number, truncated: boolean, };

/**
 * Whose failure an exception is.
 */
export type ExceptionOrigin = "user" | "dask";

/**
 * One cluster and group in which it happened.
 */
export type ExceptionPlace = { cluster_id: number, cluster_name: string, exception_id: string, group_id: string | null, group: string | null, worker: string | null, count: number, first_seen_micros: Micros, last_seen_micros: Micros, };

export type ExceptionRow = { exception_id: string, cluster_id: number, cluster_name: string, group_id: string | null, group: string | null, origin: ExceptionOrigin, exception_type: string, message: SealedText, traceback: SealedText, 
/**
 * Of Dask's own failures: the packet with the state of its state machine.
 */
details: SealedText, worker: string | null, first_seen_micros: Micros, last_seen_micros: Micros, count: number, 
/**
 * Tasks that erred only because they depend on a failed one.
 */
dependents: number, };

/**
 * Which exceptions to list.
 */
export type ExceptionsRequest = { 
/**
 * Of one cluster; null is of all.
 */
id: number | null, 
/**
 * Last seen at or after this.
 */
from_micros: Micros | null, user: string | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

/**
 * What a field of the vocabulary tells.
 */
export type FieldClass = "metric" | "name" | "identity" | "error_text" | "code" | "payload";

/**
 * Something that could go better.
 */
export type Finding = { evidence: Evidence, 
/**
 * What to do about it, a sentence or two.
 */
advice: string, 
/**
 * A page of Dask's documentation on it.
 */
page: string | null, };

/**
 * `open` takes a decision back.
 */
export type FindingDecision = { finding: string, state: FindingState, };

/**
 * Everything that the stored numbers say against how a cluster was used, the weightiest first.
 */
export type FindingList = { rows: Array<Finding>, 
/**
 * Rules that were asked.
 */
rules: number, };

/**
 * What was decided of something that looks like a secret, or that says who somebody is.
 */
export type FindingState = "open" | "replaced" | "no_secret";

/**
 * By what a run is recognised again.
 */
export type FingerprintBasis = "code_and_shape" | "shape";

/**
 * What can be seen of a merged tree.
 */
export type Flame = { tree: string, 
/**
 * Samples of the whole tree.
 */
whole: number, 
/**
 * Samples of what takes the whole width.
 */
total: number, seconds_per_sample: number, 
/**
 * False: the node asked for as root is not here, and all is drawn.
 */
root_found: boolean, 
/**
 * From all to what the first rectangle stands in.
 */
way: Array<FlameStep>, rectangles: FlameRectangles, frames: FlameFrames, 
/**
 * Frames with fewer samples were merged into blocks.
 */
smallest: number, 
/**
 * Whether rows lie below those that are given.
 */
truncated: boolean, 
/**
 * Null without a search.
 */
found: FlameFound | null, 
/**
 * What each transform is about; null if nothing here is called so.
 */
transformed: Array<string | null>, };

/**
 * What was merged.
 */
export type FlameAbout = { 
/**
 * Names the merged tree. With it, other questions are about this tree as long as it is kept, whatever comes in.
 */
tree: string, samples: number, 
/**
 * Samples whose stack is not told: a block of its own in the graph.
 */
unattributed: number, 
/**
 * Time of threads that the samples stand for.
 */
seconds: number, 
/**
 * What the samples are from; null without any.
 */
from_micros: Micros | null, to_micros: Micros | null, 
/**
 * Records that were merged.
 */
records: number, nodes: number, functions: number, 
/**
 * Whether there was more than can be merged at once: then these are the newest.
 */
truncated: boolean, 
/**
 * What can be chosen in this window of time, most samples first, at most 1,000; null is: not split by prefix.
 */
prefixes: Array<ProfilePrefix>, 
/**
 * The prefixes that the computation or group of the selection stands for.
 */
chosen_prefixes: Array<string>, 
/**
 * What each cluster contributed, most samples first, at most 1,000.
 */
clusters: Array<FlameCluster>, 
/**
 * Clusters that were selected, with samples or without.
 */
clusters_total: number, 
/**
 * Tasks that ended in what was selected; null for a part of the time.
 */
tasks: number | null, lines: ProfileLines, };

export type FlameAboutRequest = { selection: ProfileSelection, };

/**
 * What became of something from one profile to the other.
 */
export type FlameChange = "more_time" | "less_time" | "same" | "new" | "vanished";

/**
 * Beside each rectangle. Its share of the samples of a side is its share of that side's whole, in the unit of the measure.
 */
export type FlameChanges = { change: Array<FlameChange>, before_samples: Array<number>, after_samples: Array<number>, };

export type FlameCluster = { id: number, name: string, user: string | null, samples: number, 
/**
 * Of all samples.
 */
share: number, };

/**
 * What the functions are ordered by.
 */
export type FlameColumn = "own" | "total" | "function" | "file";

export type FlameDifference = { 
/**
 * Drawn as wide as the mean of both, in parts of no unit: what is only in one of them is there too.
 */
flame: Flame, changes: FlameChanges, before: FlameAbout, after: FlameAbout, measure: FlameMeasure, 
/**
 * Whether time for each task can be told.
 */
per_task: boolean, 
/**
 * Of all, in the unit of the measure.
 */
before_whole: number, after_whole: number, 
/**
 * All samples, once the transforms were made.
 */
before_samples: number, after_samples: number, 
/**
 * The functions that changed by the threshold or more, by themselves or in what they call, at most 200, and how many there
 * are. Those that changed most by themselves come first.
 */
functions: Array<FlameFunctionChange>, functions_total: number, 
/**
 * Only in the earlier one, most time first, at most 200.
 */
vanished: Array<FlameFunctionChange>, vanished_total: number, 
/**
 * Only in the later one, most time first, at most 200.
 */
new: Array<FlameFunctionChange>, new_total: number, };

/**
 * Two merged profiles, one drawn over the other.
 */
export type FlameDifferenceRequest = { before: ProfileSelection, after: ProfileSelection, before_tree: string | null, after_tree: string | null, transforms: Array<FlameTransform>, measure: FlameMeasure, 
/**
 * Differences of less than this part of the larger whole are none.
 */
threshold: number, view: FlameView, };

/**
 * What a search found.
 */
export type FlameFound = { 
/**
 * Distinct functions.
 */
functions: number, 
/**
 * Samples with one of them in their stack.
 */
total: number, 
/**
 * Nodes from left to right, the lowest of each stack; at most 500.
 */
keys: Array<number>, };

/**
 * Functions, as columns of one length.
 */
export type FlameFrames = { key: Array<number>, name: Array<string>, file: Array<string>, 
/**
 * The first line of the function.
 */
line: Array<number | null>, 
/**
 * The package that the file is of, `python`, `notebook`, `your code`, or `unknown` where folders are not told.
 */
library: Array<string>, };

export type FlameFunction = { key: number, name: string, file: string, line: number | null, library: string, 
/**
 * Samples that ended in it; of a caller none, as those that are counted went on.
 */
own: number, 
/**
 * Samples with it anywhere in their stack, each once; beside a function, those in which it stood there.
 */
total: number, 
/**
 * Half the width of the 95 % interval of `total`, in samples, as if samples were drawn independently.
 */
error: number, 
/**
 * A line of its source; null where `lines` says why, or where there is none.
 */
text: string | null, };

/**
 * A function in both profiles, in the unit of the measure.
 */
export type FlameFunctionChange = { key: number, name: string, file: string, line: number | null, library: string, change: FlameChange, before_own: number, after_own: number, before_total: number, after_total: number, };

export type FlameLine = { 
/**
 * Null where `lines` says why, or where there is none.
 */
text: string | null, lines: ProfileLines, };

/**
 * A line of source of one function.
 */
export type FlameLineRequest = { selection: ProfileSelection, tree: string | null, function: number, };

/**
 * In what two profiles are compared.
 */
export type FlameMeasure = "shares" | "seconds" | "seconds_per_task";

/**
 * Children from left to right.
 */
export type FlameOrder = "alphabetical" | "left_heavy";

/**
 * Which tree of the merged one is drawn.
 */
export type FlamePart = { "kind": "whole" } | { "kind": "callers", function: number, levels: number, } | { "kind": "callees", function: number, };

/**
 * Rectangles as columns of one length, row by row; parents come before their children.
 */
export type FlameRectangles = { key: Array<number>, 
/**
 * Place of the parent in these columns; -1 is none.
 */
parent: Array<number>, 
/**
 * Place in `frames`; -1 is all, or a block of small frames.
 */
frame: Array<number>, 
/**
 * Place in `frames` of the last of a run; that of `frame` without one.
 */
last: Array<number>, depth: Array<number>, 
/**
 * Samples to the left of it.
 */
x: Array<number>, 
/**
 * Samples that ended in it or above it: its width.
 */
total: Array<number>, 
/**
 * Samples that ended in it.
 */
own: Array<number>, 
/**
 * Frames in a block of small ones; 0 is a frame.
 */
small: Array<number>, 
/**
 * Frames in a run; 1 is one frame.
 */
run: Array<number>, 
/**
 * Whether it or, for a block, something in it is found by the search.
 */
found: Array<boolean>, 
/**
 * Half the width of the 95 % interval of `total`, in samples, as if samples were drawn independently; 0 in a difference.
 */
error: Array<number>, };

/**
 * What is drawn of one merged profile.
 */
export type FlameRequest = { selection: ProfileSelection, 
/**
 * The tree that an earlier answer named; null is the newest.
 */
tree: string | null, transforms: Array<FlameTransform>, part: FlamePart, view: FlameView, };

/**
 * One step on the way from all to what is drawn.
 */
export type FlameStep = { key: number, 
/**
 * Place in `frames`.
 */
frame: number, total: number, };

export type FlameTable = { rows: Array<FlameFunction>, 
/**
 * Functions that match, whatever the limit.
 */
total: number, 
/**
 * Functions without the search.
 */
functions: number, truncated: boolean, 
/**
 * Samples of the whole tree.
 */
samples: number, 
/**
 * Of these, those with a function in their stack that is found; beside a function, those of the rows that match. Null without
 * a search.
 */
found_samples: number | null, 
/**
 * Samples of the function that the part is about; without one, of the whole tree.
 */
part_samples: number, 
/**
 * Of these, those that nothing called, or that ended in the function itself: with the rows of all, they are `part_samples`.
 */
beside_samples: number, seconds_per_sample: number, lines: ProfileLines, 
/**
 * What each transform is about; null if nothing here is called so.
 */
transformed: Array<string | null>, };

/**
 * Which functions of one merged profile are listed.
 */
export type FlameTableRequest = { selection: ProfileSelection, 
/**
 * The tree that an earlier answer named; null is the newest.
 */
tree: string | null, transforms: Array<FlameTransform>, 
/**
 * Of callers and callees those that called the function, or were called by it, with nothing between; levels say nothing here.
 */
part: FlamePart, 
/**
 * Only what it finds; as in a view.
 */
search: string, order: FlameColumn, direction: Direction, 
/**
 * At most this many; 0 is 100, and no more than 1,000 are given.
 */
limit: number, offset: number, };

/**
 * A change to all stacks before they are drawn. Functions and nodes are named by their keys, nodes by those that they have once
 * the changes before it were made.
 */
export type FlameTransform = { "kind": "focus", function: number, } | { "kind": "focus_subtree", node: number, } | { "kind": "merge", function: number, } | { "kind": "merge_node", node: number, } | { "kind": "collapse", function: number, } | { "kind": "collapse_library", library: string, } | { "kind": "collapse_recursion", function: number, } | { "kind": "drop", function: number, };

/**
 * What of a tree is drawn.
 */
export type FlameView = { 
/**
 * The node that takes the whole width; null is all.
 */
root: number | null, 
/**
 * Only the children of the root with fewer samples than this: those of its block of small frames.
 */
below: number | null, 
/**
 * The part of the width that is in sight, 0 to 1.
 */
from: number, to: number, 
/**
 * Pixels that the part in sight takes, at most 20,000.
 */
width: number, 
/**
 * What is narrower, in pixels, is merged into one block a parent; half a pixel is the least.
 */
smallest: number, order: FlameOrder, 
/**
 * Whether frames with one child of the same samples become one.
 */
runs: boolean, 
/**
 * What is lit: terms that all must hold, `fn:` `file:` `mod:` for where, `-` for not, `/…/` for an expression; a comma
 * parts alternatives.
 */
search: string, };

export type FoldName = { node_id: string, fold: GraphFold, groups: number, 
/**
 * The prefix that most of its tasks are of.
 */
prefix: string, };

/**
 * What became of some code.
 */
export type ForgottenCode = { 
/**
 * Computations that were started by it, in any cluster.
 */
computations: number, };

export type Frame = { 
/**
 * The enclosing function, cell or file.
 */
code: string, filename: string | null, 
/**
 * Line of `code`, from 0, that made the call.
 */
line_relative: number | null, 
/**
 * Line of the file.
 */
line: number | null, };

/**
 * What a bundle told of a cluster, and what it did not. Categories are those of `off_since`, and `lines`: lines of source in
 * profiles.
 */
export type FromBundle = { imported_micros: Micros, 
/**
 * The latest that was known of it where the bundle was written.
 */
as_of_micros: Micros, 
/**
 * `metrics`, `names`, `errors` or `everything`.
 */
level: string, 
/**
 * `aliases` or `real`.
 */
identities: string, 
/**
 * Values by category that were left out.
 */
left_out: { [key in string]: number }, 
/**
 * Categories of which aliases or parts are told instead.
 */
masked: Array<string>, 
/**
 * Of which kind the file of another program was that it was read from; null where a plugin told of it.
 */
source: SourceFormat | null, };

export type Gap = { from_micros: Micros, to_micros: Micros, missing_records: number, };

export type Graph = { 
/**
 * Ordered by their first group's id, which says nothing: their places do.
 */
nodes: Array<GraphNode>, edges: Array<GraphEdge>, 
/**
 * In pixels at a zoom of 1, as all places and points.
 */
width: number, height: number, node_width: number, node_height: number, 
/**
 * Groups in the nodes.
 */
groups: number, 
/**
 * Groups that were asked for; more than `groups` where `truncated`.
 */
total: number, truncated: boolean, 
/**
 * Of all groups, and of the largest node.
 */
measure_total: number, measure_most: number, 
/**
 * Of the price book; null for any measure but cost.
 */
currency: string | null, 
/**
 * Folds that are open, in the order of the nodes.
 */
opened: Array<FoldName>, 
/**
 * Dependencies that are not drawn: on groups that are not in the record or not in this computation, and beyond 100,000.
 */
missing: number, 
/**
 * Edges that close a cycle.
 */
backward: number, 
/**
 * Null where no group has begun and ended something.
 */
critical: CriticalPath | null, };

/**
 * From what is needed to what needs it.
 */
export type GraphEdge = { 
/**
 * Places in `nodes`.
 */
from: number, to: number, 
/**
 * Dependencies between groups in it.
 */
dependencies: number, 
/**
 * Bytes of the results that are needed, which is the most that can have moved: Dask does not tell what did. Null
 * where no task that is needed has ended.
 */
bytes: number | null, 
/**
 * It closes a cycle, and is drawn against the direction.
 */
backward: boolean, on_critical_path: boolean, 
/**
 * Pairs of x and y: where it leaves, the points it passes, and where it ends.
 */
points: Array<number>, };

/**
 * Why groups are drawn as one node.
 */
export type GraphFold = "chain" | "siblings" | "single_tasks" | "small" | "layers";

/**
 * What the graph does not say of one group.
 */
export type GraphGroup = { group_id: string, name: string, prefix: string, types: Array<string>, 
/**
 * Null until a task was timed, or where Dask does not tell.
 */
durations: TaskDurations | null, 
/**
 * Attempts that failed and were made again; null where Dask does not tell.
 */
retried: number | null, 
/**
 * At most 200 each, by name. One that is not in the record has an empty name.
 */
needs: Array<GroupName>, needed_by: Array<GroupName>, 
/**
 * That it belongs to, newest first, at most 20.
 */
computations: Array<GroupComputation>, 
/**
 * Kinds of exceptions that its tasks raised, most often first, at most 20.
 */
exceptions: Array<GroupException>, 
/**
 * The folds that hide it in the named graph, the outermost first.
 */
folds: Array<FoldName>, };

export type GraphGroupRequest = { id: number, group_id: string, 
/**
 * The graph of this cluster in which it may be hidden.
 */
within: GraphRequest | null, };

/**
 * What the area of a node stands for.
 */
export type GraphMeasure = "compute" | "bytes" | "transfer" | "cost";

export type GraphNode = { 
/**
 * `group_id`, or the name of a fold.
 */
node_id: string, 
/**
 * Null for a group.
 */
fold: GraphFold | null, 
/**
 * The name of the group, or the prefixes of a fold by number of groups, three at most.
 */
name: string, prefix: string, 
/**
 * The `node_id` of the opened fold that it came out of.
 */
out_of: string | null, 
/**
 * How many groups it holds, itself included.
 */
groups: number, 
/**
 * Some of them, the largest first; empty for a group.
 */
largest: Array<GroupName>, 
/**
 * Left upper corner.
 */
x: number, y: number, layer: number, states: { [key in string]: number }, tasks: number, 
/**
 * Tasks that have been worked on: in memory, released, forgotten or erred.
 */
done: number, erred: number, seconds: Activities, result_bytes: number, start_micros: Micros | null, stop_micros: Micros | null, 
/**
 * The chosen measure, and its share of all groups'; null where nothing was measured.
 */
measure: number, share: number | null, 
/**
 * What it cost, where that is the measure; null without a price.
 */
money: Money | null, is_final: boolean, on_critical_path: boolean, 
/**
 * From the start of the first task to the end of the last; for a fold the longest of its groups.
 */
wall_seconds: number | null, 
/**
 * How much longer it could take without making the critical path longer; for a fold the least of its groups.
 */
slack_seconds: number | null, 
/**
 * How much shorter the critical path gets at most when it takes half as long; for a fold the most of one group.
 */
saving_seconds: number | null, };

export type GraphRequest = { id: number, 
/**
 * Only the groups of this computation; null is all.
 */
computation: string | null, measure: GraphMeasure, 
/**
 * `node_id`s of folds that are opened; those that are not there any more mean nothing.
 */
open: Array<string>, 
/**
 * Fold nothing.
 */
whole: boolean, 
/**
 * Layers below each other instead of beside each other.
 */
top_down: boolean, };

export type GroupComputation = { computation_id: string, start_micros: Micros | null, };

export type GroupCost = { group_id: string, name: string, tasks: number, thread_micros: number, money: Money | null, };

/**
 * By time of threads × price; idleness is a part of neither. Empty without a price, or where nothing was heard of threads.
 */
export type GroupCosts = { currency: string, 
/**
 * Dearest first, at most 5,000.
 */
groups: Array<GroupMoney>, 
/**
 * Newest first, at most 1,000.
 */
computations: Array<ComputationMoney>, truncated: boolean, };

export type GroupDifference = { prefix: string, 
/**
 * Null: it has none.
 */
a: GroupSums | null, b: GroupSums | null, differs: boolean, 
/**
 * Thread seconds of B less those of A.
 */
more_seconds: number, };

export type GroupException = { exception_id: string, exception_type: string, count: number, };

export type GroupMoney = { group_id: string, money: Money, };

export type GroupName = { group_id: string, name: string, };

/**
 * The groups of one prefix.
 */
export type GroupSums = { groups: number, tasks: number, erred: number, seconds: Activities, result_bytes: number, 
/**
 * Computing, for each task; null without tasks.
 */
task_seconds: number | null, };

export type HeardCluster = { id: number, name: string | null, host: string | null, workers: number, heard_micros: Micros, };

export type HeatMap = { by: HeatRows, measure: Measure, 
/**
 * Of `cost`.
 */
currency: string, columns: number, rows: Array<HeatRow>, };

export type HeatMapRequest = { 
/**
 * Null: users where there are several, else projects.
 */
by: HeatRows | null, measure: Measure, 
/**
 * Where stretches of time part, rising: at least two, at most 90,000.
 */
edges: Array<Micros>, 
/**
 * The column of each stretch, so that days of a zone with summer time and hours of the week are told alike; none is:
 * each is a column of its own.
 */
columns: Array<number>, order: HeatOrder, 
/**
 * Rows that are given at most, the last of them what is left; 0 is 40, and no more than 200.
 */
rows: number, };

/**
 * How the rows of the heat-map are ordered.
 */
export type HeatOrder = "total" | "name";

export type HeatRow = { 
/**
 * The user, project, host, name or span; null where clusters have none.
 */
key: string | null, 
/**
 * How many rows are in this one; 0 is a row of its own.
 */
others: number, 
/**
 * Null with clusters: they reported, and this was not told. Null without: nothing reported.
 */
values: Array<number | null>, 
/**
 * Clusters that reported, by column.
 */
clusters: Array<number>, 
/**
 * Over the columns: the sum, of memory the most.
 */
total: number | null, };

/**
 * What a row of the heat-map stands for.
 */
export type HeatRows = "user" | "project" | "host" | "name" | "span" | "everything";

/**
 * A run against the last runs of the same before it.
 */
export type History = { basis: FingerprintBasis, verdict: BaselineVerdict, 
/**
 * `worked 4.60 s, 12 % longer than its last 8 runs (4.1 s ± 0.2 s)`
 */
words: string, 
/**
 * From its start to its end; null while it runs.
 */
micros: number | null, 
/**
 * Of the runs that are alike; null where there are fewer than are needed.
 */
median_micros: number | null, 
/**
 * Half the width of the noise band around the median.
 */
band_micros: number | null, 
/**
 * Runs that are needed before anything is said.
 */
needed: number, 
/**
 * Why it is unlike, in words.
 */
unlike: Array<string>, 
/**
 * The last runs of the same before this one, oldest first, at most 20.
 */
runs: Array<PastRun>, 
/**
 * Older runs were not looked through, and among those that were, fewer than 20 are the same.
 */
truncated: boolean, };

/**
 * What becomes of users, hosts, addresses, folders and keys of tasks.
 */
export type Identities = "aliases" | "real";

/**
 * Whether a reader wants an idle cluster for a while longer.
 */
export type IdleKept = { 
/**
 * Null where nobody does.
 */
until_micros: Micros | null, };

/**
 * What became of the clusters of a bundle.
 */
export type Imported = { clusters: Array<ImportedCluster>, };

/**
 * What became of one.
 */
export type ImportedCluster = { cluster_id: string, name: string | null, 
/**
 * Its number here.
 */
id: number | null, 
/**
 * Why it was not taken; null where it was.
 */
skipped: string | null, 
/**
 * Whether it took the place of what an older bundle told of it.
 */
renewed: boolean, };

export type InboxCluster = { id: number, name: string, };

/**
 * What became of a file.
 */
export type InboxFate = "unread" | "read" | "imported" | "refused";

/**
 * A file that arrived, and what became of it.
 */
export type InboxFile = { folder: string, 
/**
 * As it was called when it came.
 */
name: string, 
/**
 * Null for what came in many: what a cluster left in the spool.
 */
bytes: number | null, 
/**
 * When something became of it last; of files from before that was noted, when they were changed.
 */
at_micros: Micros, fate: InboxFate, 
/**
 * Whether it is still there, and read on when it grows.
 */
goes_on: boolean, 
/**
 * That were read of it; null where they were not counted.
 */
records: number | null, 
/**
 * Clusters that it told of and that are here now, the newest first: no more than can be listed in a line.
 */
clusters: Array<InboxCluster>, clusters_total: number, 
/**
 * Clusters that were taken of one that was imported.
 */
taken: number | null, 
/**
 * Clusters that it told of and that were not taken.
 */
left_out: number, 
/**
 * Why it is not read, or the first of those clusters was not taken.
 */
why: string | null, 
/**
 * What it is called now, where it was put aside.
 */
aside: string | null, };

/**
 * What arrives as files.
 */
export type InboxFiles = { folder: string, 
/**
 * Folders that are read besides, and left as they are.
 */
others: Array<InboxFolder>, 
/**
 * The latest first.
 */
files: Array<InboxFile>, truncated: boolean, };

export type InboxFolder = { folder: string, exists: boolean, };

/**
 * Batches that arrive as files.
 */
export type InboxStatus = { 
/**
 * Files of batches that are put here are read, and removed once their cluster has said goodbye.
 */
folder: string, 
/**
 * Of clusters that live, or that ended without a goodbye.
 */
waiting_files: number, 
/**
 * Files that could not be read: they are called `*.refused`, and a `*.why` beside each says why.
 */
refused_files: number, 
/**
 * Clusters that ended before Bobbin took what they had to say.
 */
spool_folders: number, 
/**
 * Sealed batches of these.
 */
sealed_files: number, 
/**
 * Whether plugins find the key to seal with; without it code that they cannot send is lost with them.
 */
public_key_present: boolean, };

/**
 * An address that other machines reach.
 */
export type InterfaceStatus = { 
/**
 * With its port, such as `192.168.1.7:8788`.
 */
address: string, 
/**
 * Why it does not listen there; null where it does.
 */
failed: string | null, 
/**
 * Whether its command line named it, which goes before the settings.
 */
by_option: boolean, 
/**
 * When it stops listening there; null where it does for as long as it runs.
 */
until_micros: Micros | null, };

/**
 * Null takes a decision back.
 */
export type ItemDecision = { item: string, decision: Decision | null, };

/**
 * What items are ordered by.
 */
export type ItemOrder = "often" | "rare" | "long" | "new";

/**
 * How a value stands to what was approved for this destination before.
 */
export type ItemState = "new" | "changed" | "unchanged";

/**
 * One that this install joined, or made known.
 */
export type JoinedDestination = { kind: DestinationKind, 
/**
 * By which a stage is for it.
 */
name: string, 
/**
 * As the ledger names it.
 */
to: string, 
/**
 * Of a hub, its host and port; of another, the folder or the address of the store.
 */
address: string, 
/**
 * Of a hub, the fingerprint of its certificate: no other is sent anything.
 */
certificate_sha256: string | null, 
/**
 * What a hub said of the account last; null where it says nothing.
 */
said: AccountSaid | null, };

/**
 * Where the private key lies.
 */
export type KeyPlace = "file" | "keyring";

/**
 * Whether what is sealed can be read, and if not, why. Numbers and recording never depend on it.
 */
export type KeyState = "open" | "unasked" | "shut" | "missing" | "unreadable" | "another" | "keyring_locked" | "keyring_absent" | "keyring_silent" | "keyring_failed" | "not_in_keyring";

/**
 * The key, where it lies, and what is under way with it.
 */
export type KeyStatus = { state: KeyState, 
/**
 * Null where it cannot be told.
 */
place: KeyPlace | null, 
/**
 * The keyring that could hold it; null where there is none that is known.
 */
keyring: string | null, 
/**
 * The public half of the key that seals now, as age writes it.
 */
name: string, created_micros: Micros, recovery: RecoveryOffer, 
/**
 * Clusters with something sealed that no key that is here opens. Null while none can be had at all.
 */
lost_clusters: number | null, 
/**
 * Data keys that are still to be sealed to the new key; not zero after a rotation that was cut short.
 */
rotation_left: number, };

/**
 * What happened.
 */
export type Kind = "approved" | "withdrawn" | "upload_started" | "receipt" | "recall" | "export" | "policy_change" | "policy" | "remote_stop" | "connection" | "agent" | "read";

/**
 * A price that many pay, as of the month that its source says.
 */
export type KnownPrice = { name: string, provenance: string, currency: string, rate: Rate, };

/**
 * The prefix whose tasks computed longest, over all groups.
 */
export type LargestPrefix = { prefix: string, compute_seconds: number, 
/**
 * Of the compute time of all prefixes.
 */
share: number, 
/**
 * Those that have been worked on.
 */
tasks: number, };

/**
 * What ever left, and whether the chain of rows holds.
 */
export type LedgerAnswer = { 
/**
 * The newest first.
 */
rows: Array<LedgerSaid>, 
/**
 * All that there are.
 */
total: number, 
/**
 * Connections to other machines that were ever opened.
 */
connections: number, 
/**
 * Every place that they went to, the latest first.
 */
places: Array<LedgerPlace>, 
/**
 * The hash of the last row.
 */
head: string, 
/**
 * Where the file is not as it was written; null where all of it is.
 */
broken: LedgerBroken | null, };

/**
 * Where the ledger is not as it was written.
 */
export type LedgerBroken = { 
/**
 * From 1.
 */
line: number, reason: string, };

/**
 * A place on another machine that was connected to.
 */
export type LedgerPlace = { 
/**
 * Host and port.
 */
address: string, 
/**
 * What the last connection was for.
 */
what: string, connections: number, first_micros: Micros, last_micros: Micros, };

/**
 * One row.
 */
export type LedgerSaid = { number: number, at_micros: Micros, kind: Kind, what: string, to: string | null, bytes: number | null, sha256: string | null, 
/**
 * Whether a hub signed it: a folder or a bucket only says something.
 */
proven: boolean, 
/**
 * Who had it done; null in rows of versions that did not note it.
 */
by: string | null, 
/**
 * The team's policy that was in force.
 */
policy: PolicyInForce | null, 
/**
 * How much is told.
 */
level: string | null, 
/**
 * The categories of which something is told; null where nobody looked at them one by one.
 */
categories: Array<string> | null, hash: string, };

/**
 * Which clusters a lens draws.
 */
export type LensPage = { 
/**
 * Whom the share would be for.
 */
destination: string, 
/**
 * Others that it may be for: those that were joined, and those that something is staged for.
 */
destinations: Array<string>, 
/**
 * Clusters before them, the newest first.
 */
offset: number, 
/**
 * Where those begin that follow; null at the end.
 */
next: number | null, 
/**
 * All that there are.
 */
total: number, };

/**
 * Asks for the store as somebody with a share of it would see it.
 */
export type LensRequest = { choice: Choice, 
/**
 * Whom the share would be for; null for a file.
 */
destination: string | null, 
/**
 * Clusters before those that are drawn, the newest first.
 */
offset: number, };

/**
 * How much a bundle tells. Each level tells what those before it do.
 */
export type Level = "metrics" | "names" | "errors" | "everything";

export type LineCost = { function: string, file: string, 
/**
 * The function's first line.
 */
line: number | null, 
/**
 * The line that the figures are of; null for a function whose lines were not counted, and for other lines.
 */
at_line: number | null, 
/**
 * The figures are of the function's other lines: some have rows of their own, or too few samples.
 */
other_lines: boolean, 
/**
 * What the line says, where that was sent; of a function, the line that was first seen running.
 */
text: string | null, 
/**
 * Dask's own, Python's, or of an installed package.
 */
library: boolean, 
/**
 * Samples in it, or in what it called.
 */
samples: number, 
/**
 * Of the time that was computed, with everything that it calls and with the sampling error.
 */
share: Range, 
/**
 * Time of threads in itself, with the sampling error.
 */
seconds: Range, 
/**
 * From the least at the lowest price to the most at the highest; null without a price.
 */
money: Money | null, 
/**
 * The same with everything that it calls.
 */
with_calls_seconds: Range, with_calls_money: Money | null, };

/**
 * The dearest lines of code by the profile: share of samples × time that its threads computed × price. Where no line was
 * counted, a row is a function.
 */
export type LineCosts = { 
/**
 * Dearest first, at most 50: lines of the user's own code with what they call, all others in themselves.
 */
rows: Array<LineCost>, 
/**
 * Whether any profile has samples by line: not of an older plugin, nor where code is off.
 */
by_line: boolean, 
/**
 * Lines and functions with too few samples for a price.
 */
too_few: number, samples: number, 
/**
 * Of which they are.
 */
clusters: number, 
/**
 * Whether there were more clusters than are looked at.
 */
truncated: boolean, currency: string, 
/**
 * How the figures and their errors are made.
 */
words: string, };

/**
 * What never arrived, was shed or could not be read. All zero is a full record; `unchecked` alone takes nothing from it.
 */
export type Losses = { 
/**
 * Records missing between batches that did arrive.
 */
missing_records: number, 
/**
 * Records that the plugin shed, by kind.
 */
dropped_records: { [key in string]: number }, 
/**
 * Lines that could not be read.
 */
refused_records: number, 
/**
 * Records kept for a later version, of kinds or with fields unknown to this one.
 */
kept_unknown: number, 
/**
 * Batches that came again with other bytes; the first stands.
 */
conflicts: number, 
/**
 * Batches that came again more than a week later, when Bobbin no longer knows their bytes; the first stands.
 */
unchecked: number, };

/**
 * What to change of some clusters. What is null stays as it is.
 */
export type MarkRequest = { 
/**
 * Bobbin's numbers, at most 1,000.
 */
ids: Array<number>, pinned: boolean | null, 
/**
 * Tags to put, by name; a tag that is a word alone has an empty value.
 */
tags: { [key in string]: string }, 
/**
 * Names of tags by hand to take away.
 */
untag: Array<string>, 
/**
 * What is written of it; empty takes the note away.
 */
note: string | null, 
/**
 * What it is called here; empty gives its own name back. For one cluster.
 */
name: string | null, 
/**
 * Whether lost ones are over, which holds until they are heard again. Others of the request stay as they are; one of them must
 * be lost.
 */
finished: boolean | null, };

/**
 * What was changed.
 */
export type Marked = { 
/**
 * How many clusters.
 */
clusters: number, };

/**
 * What a cell of the heat-map measures.
 */
export type Measure = "compute" | "cluster" | "cost" | "idle" | "stalled" | "failures" | "memory_peak";

/**
 * Names that are one person.
 */
export type MergeUsersRequest = { 
/**
 * At most 100. Names that counted as one of these go along.
 */
users: Array<string>, 
/**
 * Whom they count as: one of them, or any other name.
 */
person: string, };

/**
 * Of what kind an activity is. Dask has some dozen of them, and its versions name new ones.
 */
export type MetricKind = "cpu" | "waiting" | "network" | "disk_read" | "disk_write" | "packing" | "failed" | "idle" | "other" | "event_loop";

/**
 * What the workers' time and bytes went to. No two rows count the same thing: they can be added up.
 */
export type MetricList = { 
/**
 * By unit, most first; at most 5,000.
 */
rows: Array<MetricRow>, total: number, truncated: boolean, };

export type MetricRow = { 
/**
 * Null: of no span.
 */
span_id: string | null, 
/**
 * What the worker was doing: `execute`, `gather-dep`, `get-data`, ….
 */
context: string, 
/**
 * Null: for no task in particular.
 */
prefix: string | null, activity: string, 
/**
 * Of what kind that is.
 */
kind: MetricKind, 
/**
 * `seconds`, `bytes`, `count`, ….
 */
unit: string, value: number, };

export type MetricsRequest = { id: number, 
/**
 * Only of this span.
 */
span_id: string | null, 
/**
 * Only of this prefix.
 */
prefix: string | null, };

/**
 * A point in time: whole microseconds since 1970-01-01 UTC. Exact as a JavaScript number until the year 2255.
 */
export type Micros = number;

/**
 * What something cost: between what its price says at least and at most. In billionths of the book's currency, as whole
 * numbers: parts sum exactly to the whole.
 */
export type Money = { low_nanos: number, high_nanos: number, };

/**
 * A wish to move the key.
 */
export type MoveKeyRequest = { to: KeyPlace, };

/**
 * What is worth a notice of the desktop, while nobody looks at it.
 */
export type NoticeChoices = { 
/**
 * A cluster said goodbye, having lasted at least as long as the minutes below.
 */
finished: boolean, finished_minutes: number, 
/**
 * A task erred, or a cluster fell silent without a goodbye.
 */
failed: boolean, stalled: boolean, 
/**
 * A cluster has had nothing to do for the minutes below.
 */
idle: boolean, idle_minutes: number, 
/**
 * Half, four fifths or all of a budget is spent.
 */
budget: boolean, 
/**
 * Views of the list of clusters, by name: a cluster came into one.
 */
views: Array<string>, 
/**
 * Whether notices name clusters and views; a locked screen may show them.
 */
names: boolean, };

/**
 * What closing the window means.
 */
export type OnClose = "ask" | "keep" | "quit";

/**
 * What threads were paid for.
 */
export type Operation = { "is": "prefix", prefix: string, } | { "is": "unrecorded" } | { "is": "others", prefixes: number, } | { "is": "idle" } | { "is": "stalled" };

export type OperationCost = { operation: Operation, 
/**
 * Tasks of all states.
 */
tasks: number, 
/**
 * Time of threads that is paid for; all operations sum to the cluster's.
 */
thread_micros: number, 
/**
 * Null without a price.
 */
money: Money | null, 
/**
 * Dearest first, at most 100; none for what is idle or stalled.
 */
groups: Array<GroupCost>, groups_total: number, };

export type OtherWorkers = { workers: number, 
/**
 * The mean of those that were there.
 */
values: Array<number | null>, };

export type Overview = { now_micros: Micros, from_micros: Micros, to_micros: Micros, 
/**
 * Of the period, as far as it is selected.
 */
period: UsageTotals, 
/**
 * Of what lies as long before.
 */
before: UsageTotals, before_from_micros: Micros, before_to_micros: Micros, 
/**
 * How the period differs from that; null where nothing was reported then.
 */
trends: UsageTrends | null, 
/**
 * Since the first batch ever, of everything.
 */
ever: UsageTotals, series: UsageSeries, 
/**
 * Clusters that are running, stalled or idle now, newest first. At most 50: where there are more, what is stalled, what
 * has been idle for longest, and then the newest.
 */
live: Array<ClusterRow>, 
/**
 * How many are running, stalled or idle now.
 */
live_total: number, 
/**
 * What an hour of all that have a price costs as they stand; null where none has.
 */
live_burning: Money | null, 
/**
 * How many of all have a price.
 */
live_priced: number, 
/**
 * What an hour of each of `live` costs as it stands; null without a price.
 */
burning: Array<Money | null>, 
/**
 * When each of `live` will be through with what it has to do; null where that cannot be said.
 */
left: Array<TimeLeft | null>, currency: string, answers: Array<Answer>, };

/**
 * Which period, and which part of it. An hour counts for the stretch in which it begins; the default is the last 28
 * times 24 hours.
 */
export type OverviewRequest = { from_micros: Micros | null, 
/**
 * Exclusive.
 */
to_micros: Micros | null, 
/**
 * Where the points of the series part, rising; without any there are no series.
 */
edges: Array<Micros>, 
/**
 * What the rows of `cells` are.
 */
by: HeatRows | null, 
/**
 * Only what lies in any of these, at most 5,000; none is all.
 */
cells: Array<SelectedCells>, };

/**
 * Words that are secrets to whoever uses this Bobbin. They are not stored, only recognised.
 */
export type OwnWords = { count: number, };

/**
 * Adds words that are secrets, or forgets all.
 */
export type OwnWordsRequest = { add: Array<string>, 
/**
 * Words to forget, typed again: they are not stored.
 */
remove: Array<string>, };

/**
 * What a part of the difference comes from.
 */
export type PartKind = "startup" | "tasks" | "speed" | "transfer" | "disk" | "deserialize" | "other" | "threads" | "stalled" | "waiting" | "working" | "idle";

/**
 * An earlier run of the same.
 */
export type PastRun = { cluster_id: number, cluster_name: string, 
/**
 * Null for a whole cluster.
 */
computation_id: string | null, start_micros: Micros, micros: number, tasks: number, result_bytes: number, 
/**
 * The most workers that its cluster had.
 */
workers: number, 
/**
 * Of about the same size as the run that is looked at: one of those that make the median.
 */
alike: boolean, };

/**
 * Lets nothing more be sent, or takes that back.
 */
export type PauseSendsRequest = { paused: boolean, };

/**
 * How a picture is written.
 */
export type PictureFormat = "svg" | "png";

/**
 * What is drawn.
 */
export type PictureOf = { "is": "heat_map", request: HeatMapRequest, } | { "is": "timeline", id: number, from_micros: Micros | null, to_micros: Micros | null, } | { "is": "graph", request: GraphRequest, } | { "is": "flame", request: FlameRequest, };

export type PictureRequest = { of: PictureOf, format: PictureFormat, dark: boolean, 
/**
 * In pixels; 0 is what suits it. Of a PNG twice as many are drawn, for sharp screens.
 */
width: number, 
/**
 * The IANA name of the zone in which times are told; empty is UTC.
 */
zone: string, };

/**
 * A replay under way.
 */
export type Playing = { 
/**
 * The story, or null for a stored cluster.
 */
story: string | null, 
/**
 * The stored cluster that is told again, or null for a story.
 */
recorded: number | null, 
/**
 * What the recorded cluster called itself.
 */
name: string, 
/**
 * The cluster that is told now; null until its first batch is in. Going elsewhere, or another speed, is another cluster.
 */
cluster: number | null, position_seconds: number, duration_seconds: number, speed: number, paused: boolean, 
/**
 * All of it was told.
 */
ended: boolean, 
/**
 * Why it could not go on; it is paused then.
 */
failed: string | null, chapters: Array<ReplayChapter>, };

/**
 * What the plugin cost the scheduler. Null before the first sample.
 */
export type PluginCost = { 
/**
 * Of the last beat, on the scheduler's event loop.
 */
beat_micros: number | null, 
/**
 * In hooks since the beat before.
 */
hook_micros: number | null, 
/**
 * Share of the loop in the ten seconds before the last sample, 0 to 1; over more where samples are further apart.
 */
loop_share: number | null, sent_bytes: number | null, 
/**
 * Exceptions caught in its own hooks since it started.
 */
hook_errors: number | null, 
/**
 * Records waiting to be sent.
 */
waiting_records: number | null, 
/**
 * Records shed since it started; `losses` has them by kind.
 */
shed_records: number | null, 
/**
 * On the scheduler's disk, waiting for a receiver.
 */
spooled_bytes: number | null, 
/**
 * Over all samples.
 */
all_beat_micros: number, all_hook_micros: number, all_sent_bytes: number, 
/**
 * The largest of any such ten seconds.
 */
loop_share_peak: number | null, };

/**
 * A policy, so that its text can be told from any other.
 */
export type PolicyInForce = { 
/**
 * The team's name; null where it has none.
 */
team: string | null, 
/**
 * Of the file, in hexadecimal.
 */
sha256: string, };

/**
 * A rule of the policy in words.
 */
export type PolicyRule = { 
/**
 * `must_drop`, `must_mask` or `may_send`.
 */
kind: string, what: string, };

/**
 * A team's policy.
 */
export type PolicySaid = { path: string, team: string | null, rules: Array<PolicyRule>, 
/**
 * The most that may be told; null where the policy says nothing of it.
 */
level: Level | null, real_identities: boolean, 
/**
 * The filter of the clusters that it proposes.
 */
propose: string | null, };

export type PrefixUse = { prefix: string | null, share: Array<number | null>, 
/**
 * In this time.
 */
seconds: number, };

export type Price = { id: number, terms: PriceTerms, };

/**
 * Prices in force. Of those that fit a cluster when it began, the narrowest counts (tag, then project, host,
 * everything), and of equal ones the one that is valid from the latest day.
 */
export type PriceBook = { 
/**
 * Of all prices, so that sums mean something.
 */
currency: string, 
/**
 * Narrowest first, then the newest.
 */
prices: Array<Price>, 
/**
 * Newest first, at most 500.
 */
changes: Array<PriceChange>, 
/**
 * List prices to begin a price of one's own with; none of them is in force.
 */
known: Array<KnownPrice>, };

/**
 * One line of the book's history.
 */
export type PriceChange = { at_micros: Micros, currency: string, 
/**
 * As it was before, if it was removed.
 */
price: Price, removed: boolean, };

/**
 * A price as it is written down.
 */
export type PriceTerms = { name: string, 
/**
 * Where the figures are from.
 */
provenance: string, 
/**
 * Clusters that began at or after this, …
 */
from_micros: Micros, 
/**
 * … and before this; null has no end.
 */
to_micros: Micros | null, applies_to: AppliesTo, rate: Rate, };

/**
 * What clusters switched off at their source, and what a reader keeps out.
 */
export type Privacy = { 
/**
 * Clusters that said what they may send.
 */
clusters: number, 
/**
 * Categories that some of them do not send.
 */
switches: Array<SwitchCount>, 
/**
 * Snippets of code that are never stored again.
 */
forgotten_codes: number, };

/**
 * A merged profile. Counts are samples: times `sample_micros` they are time of one thread.
 */
export type Profile = { samples: number, sample_micros: number, 
/**
 * Samples whose stack is not told.
 */
unattributed: number, 
/**
 * What the samples are from; null without any.
 */
from_micros: Micros | null, to_micros: Micros | null, 
/**
 * Records that were merged.
 */
records: number, 
/**
 * Whether there were more than can be merged at once: then these are the newest.
 */
truncated: boolean, 
/**
 * What can be chosen in this window of time, most samples first, at most 1,000; null is: not split by prefix.
 */
prefixes: Array<ProfilePrefix>, frames: ProfileFrames, nodes: ProfileNodes, 
/**
 * Nodes with fewer samples that are not in `nodes`. Their samples are in the total of the nodes above them.
 */
folded_nodes: number, 
/**
 * Most samples of its own first, at most 1,000.
 */
functions: Array<ProfileFunction>, 
/**
 * How many functions there are.
 */
functions_total: number, lines: ProfileLines, };

/**
 * How a merged profile is written.
 */
export type ProfileFormat = "speedscope" | "folded" | "pprof";

/**
 * Functions, as columns of one length.
 */
export type ProfileFrames = { name: Array<string>, file: Array<string>, 
/**
 * The first line of the function.
 */
line: Array<number | null>, 
/**
 * A line of its source; null where `lines` says why, or where there is none.
 */
text: Array<string | null>, };

export type ProfileFunction = { 
/**
 * Place in `frames`.
 */
frame: number, self_count: number, 
/**
 * Samples with this function anywhere in their stack, each once.
 */
total_count: number, };

/**
 * Whether lines of source are shown, or why not.
 */
export type ProfileLines = "shown" | "off" | "locked";

/**
 * The tree as columns of one length; parents come before their children.
 */
export type ProfileNodes = { 
/**
 * Place of the parent in these columns; -1 is the root.
 */
parent: Array<number>, 
/**
 * Place in `frames`.
 */
frame: Array<number>, 
/**
 * Samples that ended in this node.
 */
self_count: Array<number>, 
/**
 * Samples that ended in it or above it. What its children here do not account for was folded.
 */
total_count: Array<number>, };

export type ProfileOutRequest = { flame: FlameRequest, format: ProfileFormat, };

export type ProfilePrefix = { prefix: string | null, samples: number, };

export type ProfileRequest = { id: number, 
/**
 * Only of this prefix.
 */
prefix: string | null, 
/**
 * Only what was sampled after this, by whole intervals.
 */
from_micros: Micros | null, 
/**
 * Only what was sampled before this, by whole intervals.
 */
to_micros: Micros | null, 
/**
 * At most this many nodes; 0 is 10,000, and no more than 100,000 are given.
 */
nodes: number, };

/**
 * Which profiles are merged.
 */
export type ProfileSelection = { 
/**
 * Of these clusters.
 */
ids: Array<number>, 
/**
 * And of those that the list gives for this, whatever its order and limit.
 */
clusters: ClustersRequest | null, 
/**
 * Only of these prefixes; none is all.
 */
prefixes: Array<string>, 
/**
 * Only of the prefixes of this computation, while it ran; of one cluster.
 */
computation: string | null, 
/**
 * Only of this task group's prefix; of one cluster.
 */
group: string | null, 
/**
 * Only what was sampled after this, by whole intervals.
 */
from_micros: Micros | null, 
/**
 * Only what was sampled before this, by whole intervals.
 */
to_micros: Micros | null, };

/**
 * Where the proof of an answer is.
 */
export type Proof = { "is": "nothing" } | { "is": "lost" } | { "is": "finished" } | { "is": "exception", text: string, } | { "is": "failed" } | { "is": "costs" } | { "is": "prices" } | { "is": "cluster", id: number, } | { "is": "prefix", id: number, prefix: string, } | { "is": "list", id: number, tab: EvidenceTab, };

/**
 * A category of which something was removed.
 */
export type Pruned = { category: RetentionCategory, 
/**
 * When that last happened.
 */
at_micros: Micros, 
/**
 * By the rule of so many days; null is to make room under the cap.
 */
rule_days: number | null, 
/**
 * How many were, ever.
 */
records: number, };

/**
 * What was removed of one cluster.
 */
export type PrunedList = { rows: Array<Pruned>, };

/**
 * One bundle of the queue.
 */
export type Queued = { sha256: string, what: string, 
/**
 * As the ledger names it.
 */
to: string, bytes: number, state: QueuedState, approved_micros: Micros, 
/**
 * Whether a running Bobbin sends it by itself, until it is there.
 */
asked: boolean, 
/**
 * Whether it is to be deleted there.
 */
recalling: boolean, 
/**
 * Since somebody asked for it last.
 */
attempts: number, 
/**
 * Why it did not go.
 */
trouble: string | null, 
/**
 * When it is tried next; null where that is at once.
 */
again_micros: Micros | null, sent_chunks: number, 
/**
 * 0 where it does not go in chunks.
 */
chunks: number, 
/**
 * What the destination said of it last.
 */
receipt: QueuedReceipt | null, 
/**
 * Of what was recalled, until when backups of the hub may hold it, as it signed; null where it did not say.
 */
backups_until_micros: Micros | null, };

/**
 * That a destination has a bundle.
 */
export type QueuedReceipt = { at_micros: Micros, 
/**
 * Where it says so.
 */
what: string, 
/**
 * Whether a hub signed it: a folder or a bucket only says something.
 */
signed: boolean, };

/**
 * How far a bundle is.
 */
export type QueuedState = "waiting" | "withdrawn" | "uploading" | "stuck" | "sent" | "lost" | "recalled";

/**
 * At least, and at most.
 */
export type Range = { low: number, high: number, };

/**
 * What is paid for.
 */
export type Rate = { "is": "own", 
/**
 * For each core that is up.
 */
watts_per_core: Range, kilowatt_hour: Range, } | { "is": "rented", core_hour: Range, 
/**
 * Of memory that workers may use, by 1,024 MiB.
 */
memory_gib_hour: Range, machine_hour: Range, 
/**
 * How many workers share a machine.
 */
workers_per_machine: number, };

/**
 * The receiver of this process, and what the next one is told.
 */
export type ReceiverSettings = { 
/**
 * Null while none runs in this process.
 */
running: ReceiverStatus | null, 
/**
 * SHA-256 of the certificate, in hexadecimal: what a plugin on another machine pins.
 */
certificate_sha256: string | null, token_file: string, 
/**
 * `settings.toml`.
 */
file: string, file_exists: boolean, 
/**
 * What the file says; null is the default. 0 is any port that is free.
 */
port: number | null, default_port: number, 
/**
 * The interface that the file names; null is this machine alone.
 */
interface: string | null, 
/**
 * When that one is no longer listened on; null where it is until it is taken away.
 */
interface_until_micros: Micros | null, 
/**
 * For a scheduler on another machine: `bobbin.receiver` with the interface in force. Null where there is none.
 */
receiver_line: string | null, 
/**
 * Whether the next start takes another port or interface than those in force.
 */
restart_needed: boolean, 
/**
 * Keys that were handed out: each may write and nothing else.
 */
keys: number, newest_key_micros: Micros | null, 
/**
 * Requests refused since the receiver started, by reason.
 */
refused: { [key in string]: number }, };

export type ReceiverStatus = { pid: number, tcp: string, socket: string | null, 
/**
 * Where other machines reach it; null where it listens on this one alone.
 */
interface: InterfaceStatus | null, started_micros: Micros, 
/**
 * The port that it was told to take; 0 is any that is free.
 */
port_asked: number, 
/**
 * Whether its command line told it so, which goes before the settings.
 */
port_by_option: boolean, };

/**
 * What came in, and what was turned away.
 */
export type Reception = { now_micros: Micros, 
/**
 * Clusters that were heard, the latest first.
 */
clusters: Array<HeardCluster>, 
/**
 * By reason, the latest first.
 */
refusals: Array<RefusalCount>, 
/**
 * Whether some are too long ago, or too many, to be told apart.
 */
truncated: boolean, 
/**
 * The cluster that came last, by number; 0 where there is none.
 */
last_id: number, };

/**
 * What came in since a moment of this machine's clock.
 */
export type ReceptionRequest = { since_micros: Micros, 
/**
 * Only clusters that came after this one: `last_id` of an earlier answer.
 */
after_id: number, 
/**
 * Only clusters that came with this key: `key_name` of `remote_lines`.
 */
key_name: string | null, };

/**
 * A recording of a cluster, with aliases for people and machines, and all times of one fixed day.
 */
export type RecordingRequest = { id: number, tells: DemoTells, };

/**
 * The recovery form of the key that seals now. Whoever has it reads what is sealed.
 */
export type RecoveryKey = { 
/**
 * An age identity.
 */
text: string, name: string, created_micros: Micros, };

/**
 * What became of the offer to keep a recovery key.
 */
export type RecoveryOffer = "open" | "shown" | "declined";

export type RefusalCount = { 
/**
 * As `status` has it.
 */
reason: string, count: number, last_micros: Micros, };

/**
 * Which of the two is newer.
 */
export type ReleaseAge = "newer" | "same" | "older";

/**
 * A release whose signature holds, and whose packages are the released ones as far as somebody looked.
 */
export type ReleaseCheck = { version: string, 
/**
 * Its day in UTC, such as 2026-11-25.
 */
released: string, age: ReleaseAge, 
/**
 * Which key signed it, in its short form.
 */
key_fingerprint: string, 
/**
 * Its section of the changelog, in Markdown.
 */
changes: string, store_schema: number, batch_format: number, 
/**
 * What becomes of the store, in sentences.
 */
data_format: string, packages: Array<CheckedPackage>, 
/**
 * What installs it, one way a line, of packages that were checked; none where there is no reason to.
 */
install: Array<string>, build: ThisBuild, };

/**
 * What makes a scheduler on another machine report here.
 */
export type RemoteLines = { host: string, 
/**
 * For this machine: takes the plugin there.
 */
copy: string, 
/**
 * For this machine: the tunnel, for as long as it runs.
 */
tunnel: string, 
/**
 * For the other machine, where the scheduler starts. They hold a key that may write and nothing else.
 */
environment: Array<string>, start: string, 
/**
 * In place of the tunnel and the first of those lines, where other machines reach this one; null where they do not.
 */
direct: string | null, port: number, 
/**
 * What `reception` knows that key by: nobody can write with it.
 */
key_name: string, };

/**
 * A machine that `ssh` reaches, on which a scheduler is to start.
 */
export type RemoteRequest = { 
/**
 * As `ssh` takes it: `host` or `user@host`.
 */
host: string, 
/**
 * The machine on the way there, such as a login node; empty is none.
 */
through: string, };

/**
 * What would go of one cluster.
 */
export type Removal = { id: number, name: string, started_micros: Micros, 
/**
 * It still reports: what it sends after its deletion is not stored.
 */
reports: boolean, pinned: boolean, 
/**
 * The whole cluster, or else these categories.
 */
whole: boolean, categories: Array<RetentionCategory>, bytes: number, };

/**
 * What would go, the largest first.
 */
export type RemovalPreview = { 
/**
 * All of them together. An estimate from the lengths of what is stored: pages that stay half full are not known before.
 */
bytes: number, clusters: number, 
/**
 * Of these, those that would be deleted with all their totals.
 */
whole: number, rows: Array<Removal>, 
/**
 * Whether there are more than the rows.
 */
truncated: boolean, 
/**
 * With the cap that was asked about, this much would still be too much: pinned clusters and those that report are kept.
 */
beyond_bytes: number, };

/**
 * What would go: these clusters, or else what these rules remove, or else the present ones.
 */
export type RemovalPreviewRequest = { 
/**
 * Bobbin's numbers, at most 1,000.
 */
ids: Array<number>, rules: RetentionRules | null, };

export type RemoveBudgetRequest = { id: number, time_zone: string, };

export type RemovePriceRequest = { id: number, };

/**
 * What is played once more; null: nothing.
 */
export type Replay = { playing: Playing | null, 
/**
 * The slowest and the fastest that is played.
 */
slowest: number, fastest: number, };

/**
 * A moment of a recording worth going to.
 */
export type ReplayChapter = { at_seconds: number, words: string, };

/**
 * What is to be played, and how. What is left out stays as it is.
 */
export type ReplayRequest = { 
/**
 * Begins with this story; what was played before ends.
 */
story: string | null, 
/**
 * The same with a stored cluster.
 */
cluster: number | null, 
/**
 * From 1 to 60 times as fast as it was.
 */
speed: number | null, paused: boolean | null, 
/**
 * Goes there.
 */
position_seconds: number | null, 
/**
 * Ends what is played. Its cluster says goodbye and stays, as a sample.
 */
end: boolean, };

/**
 * A report that was written, or would be.
 */
export type Report = { 
/**
 * What the file may be called; no word of a cluster is in it.
 */
name: string, bytes: number, 
/**
 * In hexadecimal.
 */
sha256: string, 
/**
 * What it was narrowed to: a policy may allow less than was asked for.
 */
choice: Choice, 
/**
 * What became of the values of each class, in all of its clusters.
 */
classes: Array<ClassCount>, 
/**
 * Null where it is in a file, or was only checked.
 */
text: string | null, };

/**
 * What a report is written as.
 */
export type ReportForm = "html" | "markdown";

/**
 * Asks for a report.
 */
export type ReportRequest = { 
/**
 * One cluster, or A and B of a comparison.
 */
ids: number[], choice: Choice, form: ReportForm, 
/**
 * Whether what it cost is told: prices are in no bundle.
 */
cost: boolean, 
/**
 * Only says how large it would be and what it would tell: it is written nowhere, and the ledger has no row of it.
 */
check: boolean, 
/**
 * A new file, from `/`; null: the text is in the answer.
 */
path: string | null, };

/**
 * What was printed of a key.
 */
export type RestoreKeyRequest = { text: string, };

/**
 * What is removed by itself once it is old enough. Totals, groups, computations, spans, metrics and workers' lives belong
 * to none: they stay for as long as their cluster does.
 */
export type RetentionCategory = "profiles" | "code" | "exceptions" | "events" | "samples";

/**
 * What is kept for how long. Pinned clusters are exempt from all of it.
 */
export type RetentionRules = { 
/**
 * How large the store may be; null is without limit.
 */
cap_bytes: number | null, 
/**
 * Days after which each category goes; null is never.
 */
profiles_days: number | null, code_days: number | null, exceptions_days: number | null, events_days: number | null, samples_days: number | null, };

/**
 * What a finding looks like, the surest first.
 */
export type Rule = "bobbin" | "own_word" | "private_key" | "vendor" | "jwt" | "url_credentials" | "signed_url" | "keyword" | "entropy" | "email" | "ip_address" | "national_id";

/**
 * Whether what is stored is safe.
 */
export type SafetyStatus = { 
/**
 * The folder of the snapshots.
 */
folder: string, 
/**
 * Oldest first.
 */
snapshots: Array<Snapshot>, 
/**
 * The last time that one was restored for practice. Null before the first.
 */
drill: SnapshotDrill | null, 
/**
 * What was found wrong with the store while it is in use: the next start moves it aside. Null where nothing was.
 */
damage: string | null, 
/**
 * Folders of stores that were damaged and moved aside, oldest first.
 */
damaged: Array<string>, 
/**
 * The network file system or the program that shares the folder with other machines; null where none does.
 */
shared_by: string | null, 
/**
 * Of the log that is not in the store yet.
 */
log_bytes: number, };

/**
 * What is saved.
 */
export type SaveRequest = { "is": "table", table: TableRequest, format: TableFormat, } | { "is": "picture", picture: PictureRequest, } | { "is": "profile", profile: ProfileOutRequest, } | { "is": "recording", recording: RecordingRequest, } | { "is": "chain" };

/**
 * Copies the staged file to a new one.
 */
export type SaveStageRequest = { id: number, 
/**
 * Absolute; nothing is written over.
 */
path: string, };

/**
 * A file that was made, and a row of the ledger with it.
 */
export type Saved = { 
/**
 * What it is called, without a folder.
 */
name: string, bytes: number, 
/**
 * Of the file, in hexadecimal.
 */
sha256: string, 
/**
 * Rows of a table that are in it, and all that there are; null for what is no table.
 */
rows: number | null, total: number | null, 
/**
 * Whether rows of it are left out.
 */
truncated: boolean, 
/**
 * Where it is; null where a browser keeps it.
 */
path: string | null, };

export type SavedView = { view: ClusterView, saved_micros: Micros, 
/**
 * As it is exported.
 */
text: string, };

export type SealedLook = { kind: SearchKind, 
/**
 * So many of the newest, those included behind which the request began.
 */
looked: number, 
/**
 * So many there are.
 */
total: number, };

/**
 * Text that is stored sealed.
 */
export type SealedText = { "is": "text", text: string, } | { "is": "none" } | { "is": "locked" };

export type SearchAnswer = { 
/**
 * Kinds without hits are left out.
 */
groups: Array<SearchGroup>, 
/**
 * All that was looked through.
 */
searched: Array<SearchKind>, 
/**
 * Whether what is sealed is closed to this Bobbin: its key is not here.
 */
locked: boolean, 
/**
 * How far each kind of what is sealed was looked through.
 */
sealed: Array<SealedLook>, };

/**
 * Hits of one kind, newest first.
 */
export type SearchGroup = { kind: SearchKind, hits: Array<SearchHit>, 
/**
 * Whether there are more.
 */
truncated: boolean, };

export type SearchHit = { cluster_id: number, cluster: string, 
/**
 * The text around the match, cut: before it, the match, and behind it.
 */
before: string, matched: string, after: string, 
/**
 * When the cluster began, or the exception or computation was last seen.
 */
at_micros: Micros, 
/**
 * In how many clusters there is the same; null where each is its own.
 */
clusters: number | null, 
/**
 * The exception or computation, for a link.
 */
item: string | null, };

/**
 * What was found.
 */
export type SearchKind = "cluster" | "tag" | "note" | "function" | "frame" | "exception" | "message" | "code";

/**
 * What to look for.
 */
export type SearchRequest = { 
/**
 * Part of what is looked for, in any case.
 */
text: string, 
/**
 * Looks in what is sealed, and only there: the messages of exceptions and code, some of each, from the newest on.
 */
sealed: boolean, 
/**
 * Goes on behind so many of the newest messages, which an answer before this one looked through.
 */
messages_looked: number, 
/**
 * The same of pieces of code.
 */
code_looked: number, 
/**
 * Hits of each kind; 0 is 6, and no more than 50 are given.
 */
limit: number, };

export type SecretKind = { within: SecretWithin, 
/**
 * What it looks like: `GitHub token`.
 */
what: string, 
/**
 * Different ones.
 */
values: number, 
/**
 * Computations or exceptions that have one.
 */
places: number, };

export type SecretList = { 
/**
 * Those of the clusters that have any, by their number.
 */
clusters: Array<ClusterSecrets>, };

/**
 * Which texts of a cluster.
 */
export type SecretWithin = "code" | "exception";

/**
 * In which clusters to look.
 */
export type SecretsRequest = { 
/**
 * No more than 1,000.
 */
ids: Array<number>, };

/**
 * Part of the heat-map: a row, or all rows, between two moments.
 */
export type SelectedCells = { 
/**
 * Null: clusters that have none, unless it is every row.
 */
row: string | null, every_row: boolean, from_micros: Micros, 
/**
 * Exclusive.
 */
to_micros: Micros, };

/**
 * One approved bundle, and where it goes.
 */
export type SendRequest = { 
/**
 * Of its bytes.
 */
sha256: string, 
/**
 * As the ledger names it.
 */
to: string, };

/**
 * Where this install may send, what it sent, and what is on its way.
 */
export type Sends = { sharing: Sharing, 
/**
 * Nothing more is sent until that is taken back.
 */
paused: boolean, destinations: Array<JoinedDestination>, 
/**
 * Of those destinations, and what ever went elsewhere; the newest first.
 */
sends: Array<Queued>, };

/**
 * Asks how far what was approved is.
 */
export type SendsRequest = { 
/**
 * Whether somebody looks at what was sent: the hub is then asked now and again whether it still has that.
 */
looking: boolean, };

export type SetBudgetRequest = { 
/**
 * The budget to correct; null writes a new one.
 */
id: number | null, covers: Covers, 
/**
 * In billionths of the currency, for a month.
 */
amount_nanos: number, time_zone: string, };

export type SetCurrencyRequest = { 
/**
 * Such as `EUR`. Figures stay as they are: nothing is converted.
 */
currency: string, };

/**
 * Folders of the next start.
 */
export type SetInboxRequest = { folders: Array<string>, };

/**
 * The interface of the next start, as it was typed; null is this machine alone.
 */
export type SetInterfaceRequest = { interface: string | null, 
/**
 * For so many hours from now; null is until it is taken away.
 */
hours: number | null, };

/**
 * The port of the next start, as it was typed; null is the default.
 */
export type SetPortRequest = { port: string | null, };

export type SetPriceRequest = { 
/**
 * The price to correct; null writes a new one.
 */
id: number | null, terms: PriceTerms, };

/**
 * Says whether what was approved may be sent.
 */
export type SetSharingRequest = { sharing: Sharing, };

/**
 * Whether what a person approved may be sent, and anything be shared at all.
 */
export type Sharing = "local" | "ask" | "off";

/**
 * What holds for all stages.
 */
export type SharingRules = { policy: PolicySaid | null, standing: Array<Standing>, 
/**
 * Destinations that something was staged for.
 */
destinations: Array<string>, words: OwnWords, };

/**
 * A verdict with the weightiest of its reasons.
 */
export type ShortVerdict = { id: number, kind: VerdictKind, 
/**
 * A clause, such as `up to 4.2 GiB were spilled to disk`.
 */
words: string, };

/**
 * A checked copy of the whole store.
 */
export type Snapshot = { 
/**
 * Rises by one with each.
 */
number: number, file: string, taken_micros: Micros, bytes: number, 
/**
 * Made of a damaged store, and perhaps not all of it.
 */
salvaged: boolean, };

/**
 * A snapshot that was restored for practice, beside the store, and removed again.
 */
export type SnapshotDrill = { tried_micros: Micros, 
/**
 * Of the snapshot: the newest one at that time.
 */
number: number, 
/**
 * Why the restored store was not what the snapshot says it holds; null if it was.
 */
wrong: string | null, };

/**
 * A piece of code in both runs, or in one.
 */
export type SnippetDifference = { filename: string | null, lines: Array<DiffLine>, 
/**
 * More differs than is compared line by line: what lies between its first and its last difference is told as taken
 * away and put.
 */
replaced_whole: boolean, };

/**
 * The kind of a file of other programs that a cluster was read from.
 */
export type SourceFormat = "performance_report" | "cluster_dump" | "speedscope" | "folded_stacks";

export type SpanList = { 
/**
 * Newest first.
 */
rows: Array<SpanRow>, total: number, truncated: boolean, };

export type SpanRow = { span_id: string, parent_id: string | null, name: string, 
/**
 * The path of names down to this one, outermost first.
 */
tags: Array<string>, start_micros: Micros | null, 
/**
 * Null while it runs.
 */
stop_micros: Micros | null, enqueued_micros: Micros | null, 
/**
 * `group_id`s of its own groups; those of its children are theirs.
 */
groups: Array<string>, 
/**
 * Over its own groups.
 */
states: { [key in string]: number }, seconds: Activities, result_bytes: number, };

export type SpansRequest = { id: number, 
/**
 * Only those that were going on in this time.
 */
from_micros: Micros | null, to_micros: Micros | null, 
/**
 * Only those that this task group belongs to.
 */
group_id: string | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

export type SplitUserRequest = { 
/**
 * Counts as itself again.
 */
user: string, };

/**
 * One result for each statement.
 */
export type SqlAnswer = { results: Array<SqlResult>, took_micros: number, };

/**
 * Which question to end.
 */
export type SqlCancelRequest = { question: string, };

export type SqlCancelled = { 
/**
 * Whether it was still being answered.
 */
running: boolean, };

export type SqlColumn = { name: string, 
/**
 * As declared, such as `integer`.
 */
declared: string, 
/**
 * Whether only the install's key opens its values.
 */
sealed: boolean, };

/**
 * Statements that only read.
 */
export type SqlRequest = { 
/**
 * One statement, or several with `;` between them.
 */
sql: string, 
/**
 * Rows of each statement; 0 is 1,000, and no more than 100,000 are given.
 */
limit: number, 
/**
 * The longest that all of it may take; 0 is 10, and no more than 60 are given.
 */
seconds: number, 
/**
 * A name of the asker's own, under which the question can be cancelled.
 */
question: string | null, };

export type SqlResult = { columns: Array<string>, rows: Array<Array<SqlValue>>, 
/**
 * Whether rows were left out, by the limit or because they are too many bytes.
 */
truncated: boolean, };

export type SqlTable = { name: string, columns: Array<SqlColumn>, 
/**
 * The statement that made it, with its words.
 */
made_by: string, };

/**
 * What can be asked for.
 */
export type SqlTables = { tables: Array<SqlTable>, };

/**
 * One value as SQLite has it. Numbers that JavaScript would round are text.
 */
export type SqlValue = null | number | number | string | { 
/**
 * An integer beyond 53 bits, or `Infinity`.
 */
number: string, } | { 
/**
 * A value that only the install's key opens, which SQL has not.
 */
sealed_bytes: number, } | { blob_bytes: number, 
/**
 * Its first bytes.
 */
hex: string, };

/**
 * A stage as the desk shows it.
 */
export type Stage = { id: number, destination: string, 
/**
 * Its level is that of the cluster of which most is told.
 */
choice: Choice, staged_micros: Micros, clusters: Array<StageCluster>, 
/**
 * By kind, of all clusters.
 */
records: { [key in string]: number }, 
/**
 * Of the staged file, in hexadecimal; null while it is written anew after a decision.
 */
sha256: string | null, 
/**
 * Of the staged file.
 */
bytes: number | null, 
/**
 * Of what it unpacks to.
 */
plain_bytes: number, categories: Array<StageCategory>, withheld: Array<Withheld>, 
/**
 * Fields that were not there at the last approval for this destination; they are left out until they are accepted.
 */
new_fields: Array<string>, open_findings: number, 
/**
 * Nothing may be approved while there is one.
 */
blockers: Array<Blocker>, 
/**
 * When these bytes were approved.
 */
approved_micros: Micros | null, 
/**
 * What a share before told, by hash of its bytes; null for the first with this destination.
 */
before: string | null, policy: PolicySaid | null, 
/**
 * The file that is approved and sent.
 */
path: string, };

/**
 * A piece of the staged file.
 */
export type StageBytes = { base64: string, 
/**
 * Where the next one begins; null at the end.
 */
next: number | null, bytes: number, sha256: string, };

/**
 * Asks for a piece of the staged file, of at most a megabyte.
 */
export type StageBytesRequest = { id: number, offset: number, };

/**
 * One category of a stage; only those that have values are listed.
 */
export type StageCategory = { category: Category, class: FieldClass, 
/**
 * Different values.
 */
items: number, 
/**
 * Of those: told as they are, by an alias or in part, not at all.
 */
kept: number, masked: number, dropped: number, 
/**
 * How often they stand in the staged bytes.
 */
count: number, new: number, changed: number, 
/**
 * What was decided of all that have no decision of their own; null where the level decides.
 */
decision: Decision | null, 
/**
 * The rule of the policy that decides.
 */
rule: string | null, open_findings: number, 
/**
 * The three longest values, and the three that stand there least often: there data hides.
 */
longest: Array<StageItem>, rarest: Array<StageItem>, };

/**
 * A cluster of a stage.
 */
export type StageCluster = { id: number, 
/**
 * What it is called here.
 */
name: string | null, 
/**
 * What it is called in the staged bytes.
 */
shown: string | null, 
/**
 * How much is told of it.
 */
level: Level, 
/**
 * When it started; null in stages of versions that did not note it.
 */
started_micros: Micros | null, 
/**
 * The latest time that is in the staged bytes.
 */
as_of_micros: Micros, records: { [key in string]: number }, };

/**
 * Stages clusters: their bytes are written once, from what the store holds now.
 */
export type StageClustersRequest = { 
/**
 * Bobbin's numbers of them. Nothing is chosen by itself.
 */
ids: number[], 
/**
 * Whether a policy proposed them, and nobody named them one by one: an approval in advance then covers only those that
 * started after it was given.
 */
proposed: boolean, 
/**
 * Whom they are for: a name of the reader's own. Aliases, decisions and what is new are remembered for each.
 */
destination: string, choice: Choice, 
/**
 * Where less or more than that is told of a cluster.
 */
levels: Array<ClusterLevel>, 
/**
 * New fields that may be told from now on, as `new_fields` names them.
 */
accept_fields: Array<string>, };

/**
 * Something that looks like a secret, or says who somebody is.
 */
export type StageFinding = { 
/**
 * Names it in a decision; the same wherever the same secret stands.
 */
finding: string, rule: Rule, 
/**
 * What the rule looks for, in words.
 */
what: string, category: Category, item: string, 
/**
 * What stands before it, the beginning of it, how long it is, and what stands behind.
 */
before: string, begins: string, letters: number, after: string, 
/**
 * Values of this stage that it stands in.
 */
places: number, state: FindingState, 
/**
 * Whether it cannot be kept, such as a token of Bobbin's own.
 */
fatal: boolean, 
/**
 * Whether it is no secret, but an address of somebody or of a machine: an alias stands in its place unless a person keeps it.
 */
identity: boolean, };

export type StageFindings = { 
/**
 * Open ones first.
 */
findings: Array<StageFinding>, };

/**
 * One value of a category.
 */
export type StageItem = { 
/**
 * Names it in a decision; the same in every stage of this install.
 */
item: string, 
/**
 * What it is, in this store. At most 4,000 letters of it.
 */
real: string, 
/**
 * What the staged bytes tell where they tell most of it, with ` | ` between texts that differ; null where they tell nothing.
 * At most as much.
 */
shown: string | null, 
/**
 * Letters of what it is.
 */
letters: number, 
/**
 * How often it stands in the staged bytes.
 */
count: number, state: ItemState, 
/**
 * What was decided of it; null where the category or the level decides.
 */
decision: Decision | null, 
/**
 * What becomes of it, in the place that tells most of it. Where only a part is told, such as of paths, it is masked.
 */
effect: Decision, 
/**
 * The rule of the policy that decides, whatever a person says.
 */
rule: string | null, 
/**
 * Possible secrets in it that nobody has decided upon.
 */
open_findings: number, };

export type StageItems = { items: Array<StageItem>, 
/**
 * All that match.
 */
total: number, };

/**
 * Asks for values of a stage.
 */
export type StageItemsRequest = { id: number, 
/**
 * Of one category; of all where it is left out.
 */
category: Category | null, 
/**
 * What stands in the value, or in what is told of it, whatever its case.
 */
text: string, order: ItemOrder, offset: number, 
/**
 * At most 500.
 */
limit: number, };

/**
 * A line of the staged bytes.
 */
export type StageLine = { 
/**
 * From 0: the manifest.
 */
line: number, 
/**
 * At most 4,000 letters of it, around what was looked for.
 */
text: string, letters: number, };

export type StageList = { 
/**
 * The newest first.
 */
stages: Array<StageRow>, };

/**
 * A text of a stage that lists show only the beginning of.
 */
export type StagePart = { "is": "real", category: Category, item: string, } | { "is": "told", category: Category, item: string, } | { "is": "line", line: number, };

/**
 * Names a stage.
 */
export type StageRequest = { id: number, };

/**
 * A stage in the list of them.
 */
export type StageRow = { id: number, destination: string, choice: Choice, staged_micros: Micros, clusters: number, bytes: number, sha256: string, approved_micros: Micros | null, };

export type StageText = { lines: Array<StageLine>, 
/**
 * Lines of the staged bytes, and those that match.
 */
total: number, matches: number, };

/**
 * Asks for lines of the staged bytes, as they are.
 */
export type StageTextRequest = { id: number, 
/**
 * Only lines with this in them, whatever its case.
 */
text: string, 
/**
 * Of the lines that match.
 */
offset: number, 
/**
 * At most 500.
 */
limit: number, };

/**
 * A piece of a text of a stage.
 */
export type StageWhole = { text: string, 
/**
 * Letters before it.
 */
offset: number, 
/**
 * Letters of the whole text.
 */
letters: number, 
/**
 * Where the next piece begins; null at the end.
 */
next: number | null, };

/**
 * Asks for a text of a stage as a whole, of which an answer has a piece.
 */
export type StageWholeRequest = { id: number, part: StagePart, 
/**
 * Letters before the piece.
 */
offset: number, };

/**
 * An approval of numbers and names in advance.
 */
export type Standing = { destination: string, level: Level, since_micros: Micros, until_micros: Micros, 
/**
 * Why it holds no longer; null while it does.
 */
void: string | null, };

/**
 * Approves numbers and names for a destination in advance.
 */
export type StandingRequest = { destination: string, 
/**
 * 1 to 90; null takes the approval back.
 */
days: number | null, level: Level, };

/**
 * What this Bobbin is and where it listens.
 */
export type Status = { version: string, data_dir: string, 
/**
 * Null while no receiver runs.
 */
receiver: ReceiverStatus | null, store_bytes: number, clusters: number, 
/**
 * By this machine's clock.
 */
last_batch_micros: Micros | null, 
/**
 * Whether code and tracebacks can be read, as far as that is known without asking a keyring.
 */
key: KeyState, inbox: InboxStatus, safety: SafetyStatus, 
/**
 * Requests refused since the receiver started, by reason.
 */
refused: { [key in string]: number }, 
/**
 * Whether a Dask configuration file makes every scheduler of this user report.
 */
connected: boolean, 
/**
 * The plugin's file in the data folder, which schedulers can preload; null where it is missing.
 */
plugin_path: string | null, };

/**
 * The store's size, its rules, and what is being deleted.
 */
export type Storage = { 
/**
 * The file. What was freed in it is given back a megabyte at a time.
 */
file_bytes: number, 
/**
 * Of the file.
 */
used_bytes: number, 
/**
 * The log beside it.
 */
log_bytes: number, 
/**
 * All snapshots. The limit does not count them.
 */
snapshots_bytes: number, 
/**
 * Stores that were moved aside, damaged or replaced. The limit does not count them.
 */
aside_bytes: number, rules: RetentionRules, 
/**
 * The rules until somebody sets others.
 */
defaults: RetentionRules, 
/**
 * When somebody last did. For ten seconds nothing is removed by them.
 */
changed_micros: Micros | null, 
/**
 * The clock is more than a week ahead of when Bobbin last ran: age rules wait until it ran for so long, or somebody
 * says that it is right.
 */
clock_waits_seconds: number | null, 
/**
 * The time that age rules go by meanwhile.
 */
clock_trusted_micros: Micros, 
/**
 * When all that was due had last been removed. It is looked at every hour, and the size every minute.
 */
worked_micros: Micros | null, 
/**
 * Clusters that no rule touches.
 */
pinned: number, 
/**
 * Clusters that are to be deleted, or are being deleted.
 */
deletions: Array<Deletion>, 
/**
 * How many were ever deleted, and how many batches came of them since, which were not stored.
 */
deleted_clusters: number, deleted_batches: number, };

/**
 * Says that it is meant.
 */
export type SureRequest = { sure: boolean, };

export type SwitchCount = { 
/**
 * As the plugin's settings have it: `code` of `bobbin.code.transmit`.
 */
category: string, clusters: number, 
/**
 * The newest of them.
 */
cluster_id: number, cluster: string | null, };

/**
 * How a table is written.
 */
export type TableFormat = "csv" | "json" | "parquet";

/**
 * The rows of an answer, all of them and not only those in sight.
 */
export type TableRequest = { 
/**
 * Which command answers with them, and what it is asked.
 */
command: string, request: unknown, 
/**
 * Where in the answer they are, with dots between the steps: a list of records, columns of one length, or one record of
 * plain values. A step into a list is a place, or a `field=text` that a record has. Empty: `rows`.
 */
list: string, 
/**
 * What the file is called; empty is as the command.
 */
name: string, };

/**
 * How long single tasks computed. The percentiles are right within 2 %, the others exact.
 */
export type TaskDurations = { 
/**
 * Tasks that were timed.
 */
count: number, mean_seconds: number, std_seconds: number, p50_seconds: number, p95_seconds: number, max_seconds: number, };

export type TaskGroupList = { 
/**
 * Most compute time first, at most 2,000.
 */
rows: Array<TaskGroupRow>, total: number, truncated: boolean, };

export type TaskGroupRow = { group_id: string, name: string, prefix: string, states: { [key in string]: number }, seconds: Activities, result_bytes: number, types: Array<string>, start_micros: Micros | null, stop_micros: Micros | null, 
/**
 * How long its single tasks computed; null until one did, or where Dask does not tell.
 */
durations: TaskDurations | null, 
/**
 * How many times as long as the middle task the slow ones (p95) take, where that is more than five; else null.
 */
skew: number | null, 
/**
 * Attempts that failed and were made again; null where Dask does not tell.
 */
retried: number | null, span_id: string | null, 
/**
 * `group_id`s.
 */
dependencies: Array<string>, 
/**
 * Dask has forgotten the group; these are its last numbers.
 */
is_final: boolean, };

export type TaskGroupsRequest = { id: number, };

/**
 * What this build is.
 */
export type ThisBuild = { version: string, 
/**
 * The schema of the store that it writes.
 */
store_schema: number, 
/**
 * The oldest schema that it upgrades.
 */
oldest_store_schema: number, 
/**
 * The version of the batch format that it reads and writes.
 */
batch_format: number, 
/**
 * The public key whose releases it trusts; null where none was named when it was built.
 */
release_key: string | null, 
/**
 * A short form of that key.
 */
release_key_fingerprint: string | null, };

/**
 * How the time of threads divides, from 0 to 1, as columns of one length; null where nothing was told. In each bin
 * all parts with `idle` and `stalled` make 1.
 *
 * A worker tells the time of a task when it ends. What is more than the threads of that time could do is laid to the
 * free threads before it, so what a long task did is where it was done. Which prefix computed is estimated: a group's
 * seconds are spread evenly from its start to its stop.
 */
export type ThreadUse = { from_micros: Micros | null, 
/**
 * The end of each bin.
 */
at_micros: Array<Micros>, 
/**
 * Threads that were there on average.
 */
threads: Array<number | null>, 
/**
 * Threads that were in users' functions on average.
 */
threads_computing: Array<number | null>, 
/**
 * Computing, by the prefixes with the most of it; then all others, whose prefix is null.
 */
computing: Array<PrefixUse>, transfer: Array<number | null>, disk_read: Array<number | null>, disk_write: Array<number | null>, deserialize: Array<number | null>, other: Array<number | null>, idle: Array<number | null>, 
/**
 * They did nothing while the cluster was stalled.
 */
stalled: Array<number | null>, totals: WindowTotals, };

export type ThreadUseRequest = { id: number, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * Bins of equal length; 0 is 120, no more than 1,000.
 */
bins: number, 
/**
 * Prefixes that have a part of their own; 0 is 4, no more than 20.
 */
prefixes: number, };

/**
 * How long the tasks that are to come will take, if no others come.
 */
export type TimeLeft = { tasks: number, 
/**
 * With all threads computing.
 */
low_seconds: number, 
/**
 * With as many as computed lately.
 */
high_seconds: number, };

/**
 * Time of threads by what they did. The parts sum exactly to threads times the time that they were there.
 */
export type TimeParts = { compute_micros: number, transfer_micros: number, 
/**
 * Reading and writing.
 */
disk_micros: number, 
/**
 * Deserializing, and what Dask counts as other.
 */
other_micros: number, idle_micros: number, 
/**
 * They did nothing while the cluster was stalled, as far as that was counted.
 */
stalled_micros: number, };

/**
 * Samples as columns of one length, oldest first.
 */
export type Timeline = { at_micros: Array<Micros>, workers: Array<number>, threads: Array<number>, memory_limit_bytes: Array<number | null>, memory_used_bytes: Array<number | null>, memory_managed_bytes: Array<number | null>, memory_unmanaged_bytes: Array<number | null>, memory_spilled_bytes: Array<number | null>, 
/**
 * Tasks on workers now.
 */
tasks_processing: Array<number>, 
/**
 * Tasks that wait for others, for a worker or in the scheduler's queue.
 */
tasks_waiting: Array<number>, 
/**
 * Sum over the workers; 100 is one core.
 */
cpu_percent: Array<number | null>, network_read_bytes_per_s: Array<number | null>, network_write_bytes_per_s: Array<number | null>, disk_read_bytes_per_s: Array<number | null>, disk_write_bytes_per_s: Array<number | null>, gpu_percent: Array<number | null>, gpu_memory_bytes: Array<number | null>, 
/**
 * How late the scheduler's event loop was, and that of the worst worker.
 */
loop_lag_micros: Array<number | null>, worker_lag_micros: Array<number | null>, workers_paused: Array<number | null>, 
/**
 * Share of the scheduler's loop that the plugin took, 0 to 1.
 */
plugin_loop_share: Array<number | null>, 
/**
 * Periods from which records are missing.
 */
gaps: Array<Gap>, };

export type TimelineRequest = { id: number, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * At most this many points; 0 is 600. Each stands for the largest of its bin.
 */
points: number, };

/**
 * The owner's token, as text.
 */
export type TokenText = { text: string, };

/**
 * How an answer is meant.
 */
export type Tone = "calm" | "good" | "warn" | "stalled" | "bad";

/**
 * The topics of a cluster's events, by name.
 */
export type TopicList = { 
/**
 * Most events first, at most 1,000.
 */
rows: Array<TopicRow>, total: number, truncated: boolean, };

export type TopicRow = { 
/**
 * A topic; or `(workers)`, `(clients)` and `(others)` for those of single workers, single clients, and the rest.
 */
topic: string, 
/**
 * Whether the plugin was told to send it.
 */
allowed: boolean, 
/**
 * Events that were sent and are stored.
 */
stored: number, 
/**
 * Events that were seen in the scheduler and not sent.
 */
not_sent: number, };

export type TopicsRequest = { id: number, };

/**
 * How a figure changed.
 */
export type Trend = { 
/**
 * `+12 %`, `3.4 times`, `+2 points`, `none before`, `no change`.
 */
words: string, way: Way, };

/**
 * Clusters whose deletion is taken back.
 */
export type UndoDeleteRequest = { ids: Array<number>, };

/**
 * What was used between the edges, as columns of one length.
 */
export type UsageSeries = { thread_seconds: Array<number>, compute_seconds: Array<number>, tasks_completed: Array<number>, tasks_erred: Array<number>, result_bytes: Array<number>, workers_peak: Array<number>, clusters: Array<number>, 
/**
 * In the book's currency, in the middle of its range.
 */
cost: Array<number>, 
/**
 * The same of what idle threads cost.
 */
idle_cost: Array<number>, };

/**
 * What clusters used. Times are in seconds of one thread: 3,600 are one core-hour.
 */
export type UsageTotals = { 
/**
 * Clusters that reported in the period.
 */
clusters: number, 
/**
 * Threads times time, idleness included.
 */
thread_seconds: number, 
/**
 * Time that threads spent in users' functions.
 */
compute_seconds: number, 
/**
 * `compute_seconds` ÷ `thread_seconds`; null where no thread was up.
 */
efficiency: number | null, 
/**
 * `thread_seconds` by what was done.
 */
parts: TimeParts, 
/**
 * Tasks that finished.
 */
tasks_completed: number, 
/**
 * Tasks that erred of themselves.
 */
tasks_erred: number, 
/**
 * Bytes of all results.
 */
result_bytes: number, 
/**
 * The most workers that any one cluster had at once.
 */
workers_peak: number, 
/**
 * Null where nothing could be priced.
 */
cost: Cost | null, };

/**
 * How each of the totals changed; null where it was nothing and still is, or is not known in both. Money by the middle of
 * its range.
 */
export type UsageTrends = { clusters: Trend | null, thread_seconds: Trend | null, compute_seconds: Trend | null, 
/**
 * In points of a hundred.
 */
efficiency: Trend | null, tasks_completed: Trend | null, tasks_erred: Trend | null, result_bytes: Trend | null, workers_peak: Trend | null, cost: Trend | null, idle_cost: Trend | null, };

/**
 * Names of users, those with the most clusters first, at most 1,000.
 */
export type UserList = { rows: Array<UserRow>, truncated: boolean, };

export type UserRow = { 
/**
 * As clusters name it.
 */
user: string, 
/**
 * Whom it counts as everywhere; null: nobody else.
 */
person: string | null, clusters: number, 
/**
 * The latest sample of any of them; null without one.
 */
seen_micros: Micros | null, 
/**
 * At most three, by name.
 */
hosts: Array<string>, hosts_total: number, };

export type Verdict = { kind: VerdictKind, 
/**
 * At most three, the weightiest first.
 */
evidence: Array<Evidence>, 
/**
 * Findings that were not told.
 */
more: number, };

/**
 * What became of a cluster, in one word.
 */
export type VerdictKind = "healthy" | "wasteful" | "idle" | "stalled" | "failing" | "lost" | "unknown";

/**
 * In the order of the request; clusters that are gone are left out.
 */
export type VerdictList = { rows: Array<ShortVerdict>, };

/**
 * Clusters whose verdicts are asked for.
 */
export type VerdictsRequest = { 
/**
 * Bobbin's numbers, at most 200.
 */
ids: Array<number>, };

/**
 * Null: not installed, or not told.
 */
export type VersionChange = { package: string, without: string | null, with: string | null, };

export type VersionMismatch = { package: string, where: VersionSide, 
/**
 * Null: not installed there.
 */
version: string | null, 
/**
 * Workers or clients that have it.
 */
count: number, };

/**
 * On which side a version differs from the scheduler's.
 */
export type VersionSide = "worker" | "client";

export type ViewCount = { name: string, filter: string, clusters: number, 
/**
 * The newest of them; null where there is none.
 */
newest_id: number | null, };

/**
 * How many clusters each kept view lists now, by the name of the view.
 */
export type ViewCounts = { rows: Array<ViewCount>, };

export type ViewCountsRequest = { 
/**
 * The days of filters are cut by the rules of this zone; empty is UTC.
 */
time_zone: string, };

/**
 * The views that are kept, by name.
 */
export type ViewList = { rows: Array<SavedView>, };

/**
 * A view by its name.
 */
export type ViewName = { name: string, };

/**
 * Views as text, as they were exported.
 */
export type ViewText = { text: string, };

/**
 * The difference in wall clock in parts that add up to it exactly.
 */
export type Waterfall = { a_micros: number, b_micros: number, 
/**
 * In the order in which they are drawn. Their sum is B less A.
 */
parts: Array<WaterfallPart>, 
/**
 * Tasks that the times are for; null is the whole runs.
 */
per_tasks: number | null, };

export type WaterfallPart = { kind: PartKind, 
/**
 * Of tasks and speed.
 */
prefix: string | null, 
/**
 * More than zero: B took longer for it.
 */
micros: number, 
/**
 * What changed, in words: `300 tasks instead of 100`.
 */
words: string, 
/**
 * One of many small ones, which are drawn as one.
 */
small: boolean, };

/**
 * Which way a figure went.
 */
export type Way = "up" | "down" | "level";

/**
 * What was done in this time.
 */
export type WindowTotals = { 
/**
 * Time of all threads; `seconds`, `idle_seconds` and `stalled_seconds` make it up.
 */
thread_seconds: number, seconds: Activities, idle_seconds: number, 
/**
 * Threads did nothing while the cluster was stalled.
 */
stalled_seconds: number, 
/**
 * Seconds that were told later than they were spent, and laid to where threads were free.
 */
moved_seconds: number, 
/**
 * Between the last samples before its bounds.
 */
tasks_completed: number, tasks_erred: number, workers_peak: number | null, memory_peak_bytes: number | null, spilled_peak_bytes: number | null, 
/**
 * Worked on, seen or happened in this time.
 */
groups: number, computations: number, exceptions: number, events: number, worker_events: number, };

/**
 * A field whose values are not in the staged bytes.
 */
export type Withheld = { 
/**
 * `record.field`.
 */
field: string, class: FieldClass, 
/**
 * Values left out.
 */
values: number, 
/**
 * Whether it is left out because it is new since the last approval for this destination.
 */
new: boolean, };

/**
 * One step in the life of a worker.
 */
export type WorkerChange = "joined" | "left" | "restarted" | "paused" | "resumed" | "killed";

export type WorkerEvent = { at_micros: Micros, event: WorkerChange, cause: string | null, 
/**
 * Whether it was asked to; null where Dask does not tell.
 */
expected: boolean | null, };

/**
 * One measure of the workers in bins, on average over each; null where a worker was not there or did not tell.
 */
export type WorkerHeat = { 
/**
 * Null where no sample tells of workers.
 */
from_micros: Micros | null, 
/**
 * The end of each bin.
 */
at_micros: Array<Micros>, 
/**
 * Those with the most of it in all of this time first.
 */
workers: Array<WorkerHeatRow>, 
/**
 * All that have no row of their own; null where each has one.
 */
others: OtherWorkers | null, 
/**
 * The median of all workers where more than 64 were there, of which samples tell only how they spread; empty where
 * there never were.
 */
together: Array<number | null>, samples: number, 
/**
 * Of very many samples some are left out, evenly.
 */
samples_read: number, };

export type WorkerHeatRequest = { id: number, measure: WorkerMeasure, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * Bins of equal length; 0 is 60, no more than 240.
 */
bins: number, 
/**
 * Workers that have a row of their own; 0 is 64, and there are no more.
 */
rows: number, };

export type WorkerHeatRow = { worker_id: string, name: string | null, 
/**
 * While it told of it.
 */
mean: number | null, values: Array<number | null>, };

export type WorkerLine = { worker_id: string, name: string | null, values: Array<number | null>, };

export type WorkerList = { 
/**
 * Those that are here first, then the last that left.
 */
rows: Array<WorkerRow>, total: number, truncated: boolean, 
/**
 * Workers that are here, by the last that was heard.
 */
here: number, 
/**
 * Times that a worker was killed, or left and was not asked to as far as Dask tells.
 */
lost: number, };

/**
 * What to show of the workers over time.
 */
export type WorkerMeasure = "cpu_percent" | "memory_used_bytes" | "memory_spilled_bytes" | "processing";

export type WorkerNow = { at_micros: Micros, 
/**
 * 100 is one core.
 */
cpu_percent: number | null, memory_used_bytes: number | null, memory_managed_bytes: number | null, memory_spilled_bytes: number | null, 
/**
 * Tasks assigned to it.
 */
processing: number | null, 
/**
 * How late its event loop is.
 */
lag_micros: number | null, };

/**
 * One worker server, from its start to its end.
 */
export type WorkerRow = { worker_id: string, address: string | null, name: string | null, host: string | null, state: WorkerState, first_seen_micros: Micros, 
/**
 * Null while it is here.
 */
left_micros: Micros | null, threads: number | null, memory_limit_bytes: number | null, resources: { [key in string]: number }, 
/**
 * Whether a nanny restarts it.
 */
nanny: boolean | null, 
/**
 * At the last sample; null where that did not tell of single workers.
 */
now: WorkerNow | null, 
/**
 * The last 20 of its life, oldest first.
 */
events: Array<WorkerEvent>, events_total: number, };

/**
 * One measure of the workers over time, as columns of one length, oldest first.
 */
export type WorkerSeries = { at_micros: Array<Micros>, 
/**
 * Least, lower quartile, median, upper quartile and most over the workers.
 */
bands: Array<[number, number, number, number, number] | null>, 
/**
 * Each worker by itself; empty where any of the samples tells only bands, or more than 64 workers came by.
 */
workers: Array<WorkerLine>, };

export type WorkerSeriesRequest = { id: number, measure: WorkerMeasure, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * At most this many points; 0 is 600. Each is the last sample of its bin.
 */
points: number, };

/**
 * What a worker is doing, by the last that was heard of it.
 */
export type WorkerState = "running" | "paused" | "gone";

export type WorkersRequest = { id: number, 
/**
 * Only this one, which is then all that is counted.
 */
worker_id: string | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };
