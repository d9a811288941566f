// What categories are called, why each is shared or not, and what blocks.

import type { Blocker, Category, ClusterLevel, Decision, FieldClass, ItemOrder, Level, ItemState, Stage, StageCategory, StageCluster, StageItem, StageWhole } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { count, plural } from '../../format/number';
import { dateTime } from '../../format/time';
import { visible, visibleLines } from '../../format/visible';
import { aFile } from '../../state/reviewRoute';
import { levelWords } from '../share/words';

interface About {
  /** As it follows “Include”. */
  label: string;
  /** Why it is as it is where nobody decided otherwise. */
  told: string;
  masked: string;
  dropped: string;
  /** Why a reader may need it, as it follows “Helps to”. */
  needed: string;
}

function about(label: string, needed: string, told: string, masked: string, dropped: string): About {
  return { label, told, masked, dropped, needed };
}

const byLevel = 'The selected level does not include it.';
const metricsOnly = 'Metrics only is selected, so names are aliases.';
const real = 'Real names are selected.';
const person = 'It shows who or where you are. An alias keeps related values together.';
const words = 'Words like these describe work, not people.';

export const categoryWords: Record<Category, About> = {
  clusters: about('cluster names', 'tell runs of one program apart', words, metricsOnly, byLevel),
  projects: about('projects and tags', 'group clusters the way you do', words, metricsOnly, byLevel),
  users: about('users', 'see whose cluster it was', real, person, byLevel),
  hosts: about('hosts', 'find the one machine that is slow', real, person, byLevel),
  addresses: about('addresses', 'match shared data with network logs', real, person, byLevel),
  workers: about('worker names', 'match shared data with worker logs', real, person, byLevel),
  paths: about('folders and files', 'see which of your files is slow', 'They belong to common libraries, or real names are selected.', 'Folders can identify you, so only the last part of your own files is shared.', byLevel),
  functions: about('functions and prefixes', 'see what took the time', words, 'Text that is not a function name may contain anything.', byLevel),
  keys: about('task group names', 'find the same group again', real, 'People make up keys, so they may contain anything.', byLevel),
  spans: about('spans', 'group work in your own words', words, metricsOnly, byLevel),
  environment: about('versions and systems', 'answer what most bug reports ask for', 'Versions reveal nothing about you.', metricsOnly, byLevel),
  words: about('units, types, and resources', 'make figures readable', words, metricsOnly, byLevel),
  exception_types: about('exception types', 'see what kind of failure it was', 'A type is a class name.', metricsOnly, byLevel),
  messages: about('exception messages', 'understand most failures', 'The selected level includes messages.', 'Parts of them were replaced.', 'Messages quote data, so they are shared only if you include them.'),
  tracebacks: about('tracebacks', 'see where in the code it failed', 'The selected level includes tracebacks.', 'Parts of them were replaced.', 'Tracebacks show code and folders, so they are shared only if you include them.'),
  code: about('code snippets', 'let others see what you ran', 'The selected level includes code.', 'Parts of it were replaced.', 'Code may contain what you never meant to share, so it is shared only if you include it.'),
  lines: about('source lines in profiles', 'see the slow line itself', 'The selected level includes code.', 'Parts of them were replaced.', 'They are code, so they are shared only if you include them.'),
  topics: about('event topics', 'see what was logged', words, metricsOnly, byLevel),
  payloads: about('event payloads', 'see the details that programs logged', 'The selected level includes payloads.', 'Parts of them were replaced.', 'They may contain anything, so they are shared only if you include them.'),
};

/** A class that the level leaves out, and the level that tells it. */
export interface OffClass {
  class: FieldClass;
  level: Level;
  values: number;
}

const toldFrom: [FieldClass, Level][] = [['error_text', 'errors'], ['code', 'everything'], ['payload', 'everything']];

/** What people wrote and the chosen level does not tell: only what is there. */
export function offClasses(stage: Stage): OffClass[] {
  return toldFrom.flatMap(([of, level]) => {
    const values = stage.withheld.filter((field) => field.class === of).reduce((sum, field) => sum + field.values, 0);
    return values === 0 || stage.categories.some((category) => category.class === of) ? [] : [{ class: of, level, values }];
  });
}

type Dated = Pick<StageCluster, 'started_micros' | 'as_of_micros'>;

/** `14 Nov 2026, 14:02:10 to 14 Nov 2026, 15:00:00`: the times that data is of. */
export function rangeWords({ started_micros, as_of_micros }: Dated): string {
  const end = `to ${dateTime(as_of_micros)}`;
  return started_micros === null ? end : `${dateTime(started_micros)} ${end}`;
}

/** The times that the data of all clusters is of. */
export function wholeRange(clusters: readonly Dated[]): Dated {
  const starts = clusters.map((one) => one.started_micros);
  return {
    started_micros: starts.reduce((least, one) => (least === null || one === null ? null : Math.min(least, one)), starts[0] ?? null),
    as_of_micros: Math.max(...clusters.map((one) => one.as_of_micros)),
  };
}

/** Clusters of which less is shared than of the one of which most is: a stage is made again with them. */
export function ownLevels(stage: Pick<Stage, 'choice' | 'clusters'>): ClusterLevel[] {
  return stage.clusters.filter((one) => one.level !== stage.choice.level).map(({ id, level }) => ({ id, level }));
}

/** `nightly, metrics only (14 Nov 2026, 14:02:10 to 14 Nov 2026, 15:00:00)`: its name, how much is shared where that is less, and when it was. */
export function clusterWords(cluster: Dated & Pick<StageCluster, 'id' | 'name' | 'level'>, most: Level): string {
  const name = visible(cluster.name ?? `cluster ${cluster.id}`);
  return `${name}${cluster.level === most ? '' : `, ${levelWords(cluster.level).toLowerCase()}`} (${rangeWords(cluster)})`;
}

/** Letters of a value that is shown while its category is closed. */
const glanceLetters = 60;

/** What is shared of the longest and the rarest values of a category: data hides there. */
export function glances(category: StageCategory): { label: string; values: string[] }[] {
  if (category.kept + category.masked === 0) return [];
  const said = (items: readonly StageItem[]) =>
    items.flatMap(({ shown }) => {
      if (shown === null) return [];
      const letters = [...sayValue(category.category, shown)];
      return [letters.length > glanceLetters ? `${letters.slice(0, glanceLetters).join('')}…` : letters.join('')];
    });
  if (category.items <= category.longest.length) return [{ label: 'Values', values: said(category.longest) }];
  return [
    { label: 'Longest', values: said(category.longest) },
    { label: 'Rarest', values: said(category.rarest) },
  ];
}

/** What most values of a category become. */
export function fate(category: StageCategory): Decision {
  if (category.kept > 0 && category.kept >= category.masked) return 'keep';
  return category.masked > 0 ? 'mask' : 'drop';
}

/** Why a category is as it is. */
export function reason(category: StageCategory): string {
  if (category.rule !== null) return `Set by the policy: ${category.rule}.`;
  if (category.decision !== null) return { keep: 'You decided to share it.', mask: 'You decided to mask it.', drop: 'You decided to leave it out.' }[category.decision];
  const said = categoryWords[category.category];
  return { keep: said.told, mask: said.masked, drop: said.dropped }[fate(category)];
}

/** Something that a share does not tell. */
export interface LeftOut {
  key: string;
  what: string;
  /** Whether that is the name of a field. */
  field: boolean;
  class: FieldClass;
  by: 'level' | 'policy' | 'you';
  values: number;
  new: boolean;
}

/** All that is left out: fields that the level does not tell, then values that the policy or the reader dropped. */
export function leftOut(stage: Pick<Stage, 'withheld' | 'categories'>): LeftOut[] {
  /** Whole classes that the level withholds are fields already. */
  const isField = ({ class: of, rule, decision, kept, masked }: StageCategory) =>
    rule === null && decision === null && kept + masked === 0 && stage.withheld.some((field) => field.class === of);
  return [
    ...stage.withheld.map((one): LeftOut => ({ key: `.${one.field}`, what: one.field, field: true, class: one.class, by: 'level', values: one.values, new: one.new })),
    ...stage.categories
      .filter((one) => one.dropped > 0 && !isField(one))
      .map((one): LeftOut => {
        const by = one.rule !== null ? 'policy' : one.decision === null && one.kept + one.masked === 0 ? 'level' : 'you';
        return { key: one.category, what: categoryWords[one.category].label, field: false, class: one.class, by, values: one.dropped, new: false };
      }),
  ];
}

export const decisionWords: Record<Decision, { label: string; done: string }> = {
  keep: { label: 'Keep', done: 'shared' },
  mask: { label: 'Mask', done: 'masked' },
  drop: { label: 'Drop', done: 'left out' },
};

/** What has many lines by nature: a line's end is a sign there, and nothing to be wary of. */
const manyLines: ReadonlySet<Category> = new Set(['messages', 'tracebacks', 'code', 'lines', 'payloads']);

/** A value on one line. */
export function sayValue(category: Category, text: string): string {
  return manyLines.has(category) ? visibleLines(text).replaceAll('\n', ' ⏎ ') : visible(text);
}

/** Letters of a value from which on a list may not show all of it. */
export const longLetters = 300;

/** Which letters of a text a piece is. */
export function pieceWords({ text, offset, letters }: Pick<StageWhole, 'text' | 'offset' | 'letters'>): string {
  if (letters === 0) return 'Nothing of it is shared';
  const here = [...text].length;
  return here === letters ? `All ${plural(letters, 'character')}` : `Characters ${count(offset + 1)} to ${count(offset + here)} of ${count(letters)}`;
}

export const stateWords: Record<ItemState, string> = { new: 'new', changed: 'changed', unchanged: 'unchanged' };

export const orderWords: { value: ItemOrder; label: string }[] = [
  { value: 'often', label: 'Often' },
  { value: 'rare', label: 'Rare' },
  { value: 'long', label: 'Long' },
  { value: 'new', label: 'New' },
];

/** Why nothing can leave yet. */
export function blockerWords({ kind, count }: Blocker): string {
  if (kind === 'open_findings') return `${plural(count, 'possible secret')} ${count === 1 ? 'needs' : 'need'} a decision`;
  if (kind === 'writing') return 'The bytes are being written';
  return 'The bytes could not be written. Check that the disk has space: Bobbin keeps trying';
}

/** `Share 3 clusters as a file`, `Share 1 cluster with data-platform`. */
export function title(clusters: number, destination: string): string {
  const what = `Share ${plural(clusters, 'cluster')}`;
  return destination === aFile ? `${what} as a file` : `${what} with ${destination}`;
}

/** `Save 3 clusters, 214 KiB`. */
export function saveLabel(stage: Stage): string {
  return `Save ${plural(stage.clusters.length, 'cluster')}${stage.bytes === null ? '' : `, ${bytes(stage.bytes)}`}`;
}

/** `3-clusters-2026-11-21.bobbin`: no word of a cluster's is in the name of the file. */
export function fileName(stage: Stage): string {
  const day = new Date(stage.staged_micros / 1000).toISOString().slice(0, 10);
  return `${plural(stage.clusters.length, 'cluster').replace(' ', '-').replaceAll(',', '')}-${day}.bobbin`;
}
