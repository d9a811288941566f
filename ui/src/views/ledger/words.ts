// What rows of the ledger are called.

import type { Kind, LedgerSaid } from '../../generated/api';

export const kindWords: Record<Kind, { word: string; means: string }> = {
  approved: { word: 'Approved', means: 'Someone reviewed these bytes and approved them for a destination, or for a file.' },
  withdrawn: { word: 'Withdrawn', means: 'Someone withdrew an approval before anything was sent.' },
  upload_started: { word: 'Upload', means: 'Sending approved bytes started or restarted.' },
  receipt: { word: 'Receipt', means: 'The other side confirmed that it has them. A hub signs this.' },
  recall: { word: 'Recalled', means: 'The other side confirmed that it deleted them. A hub signs this.' },
  export: { word: 'Saved', means: 'Something was saved as a file: a bundle, a report, a table, a picture, or this ledger.' },
  policy_change: { word: 'Rule', means: 'The rules for what may be shared, with whom, or who may read here, changed.' },
  policy: { word: 'Policy', means: 'Bobbin found that the team’s policy file was added, changed, or removed.' },
  remote_stop: { word: 'Stop', means: 'A cluster was asked to close.' },
  connection: { word: 'Connection', means: 'Bobbin was about to open a connection to another machine.' },
  agent: { word: 'Agent', means: 'An agent on this machine got an answer, limited to what a share would include.' },
  read: { word: 'Read', means: 'Another machine read the store over the interface. One row per machine and hour.' },
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
