// What rows of the ledger are called.

import type { Kind, LedgerSaid } from '../../generated/api';

export const kindWords: Record<Kind, { word: string; means: string }> = {
  approved: { word: 'Approved', means: 'Somebody looked at these bytes and let them go.' },
  upload_started: { word: 'Upload', means: 'Sending approved bytes began, or began anew.' },
  receipt: { word: 'Receipt', means: 'The other side said that it has them: a hub signs that.' },
  recall: { word: 'Recalled', means: 'The other side said that it deleted them: a hub signs that.' },
  export: { word: 'Saved', means: 'A bundle was written to a file.' },
  policy_change: { word: 'Rule', means: 'What may be shared, or with whom, was changed.' },
  remote_stop: { word: 'Stop', means: 'A cluster was asked to close.' },
  connection: { word: 'Connection', means: 'A connection to another machine was about to be opened.' },
  agent: { word: 'Agent', means: 'An agent on this machine was answered, as a share would tell it.' },
};

/** The level, and the categories where a person looked at them. */
export function toldWords({ level, categories }: Pick<LedgerSaid, 'level' | 'categories'>): string {
  if (level === null) return '–';
  return categories === null || categories.length === 0 ? level : `${level}: ${categories.map((one) => one.replaceAll('_', ' ')).join(', ')}`;
}

/** The policy that was in force: its team, and the beginning of its hash. */
export function policyWords({ policy }: Pick<LedgerSaid, 'policy'>): string {
  return policy === null ? '–' : `${policy.team ?? 'unnamed'} ${policy.sha256.slice(0, 12)}`;
}
