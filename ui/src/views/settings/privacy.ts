// Categories that clusters keep back, and a team's policy, in words.

import type { PolicySaid } from '../../generated/api';
import { visible } from '../../format/visible';

const categories: Record<string, string> = {
  code: 'Code',
  profile: 'Profiles',
  exceptions: 'Messages and tracebacks',
  names: 'Names of tasks',
  user: 'The user’s name',
  host: 'Host names and addresses',
  paths: 'Folders',
  events: 'Events beyond those allowed',
};

export function switchWords(category: string): string {
  return categories[category] ?? visible(category);
}

const kinds: Record<string, string> = { must_drop: 'Never told', must_mask: 'Told as an alias at most', may_send: 'May be told' };

/** A sentence for each thing that a policy says. */
export function policyWords(policy: PolicySaid): string[] {
  return [
    ...(policy.team === null ? [] : [`Of the team ${visible(policy.team)}.`]),
    ...(policy.level === null ? [] : [`At most ${policy.level} are told.`]),
    policy.real_identities ? 'People and machines may be named.' : 'People and machines have aliases.',
    ...policy.rules.map((rule) => `${kinds[rule.kind] ?? visible(rule.kind)}: ${visible(rule.what)}.`),
    ...(policy.propose === null ? [] : [`It proposes the clusters of ${visible(policy.propose)}.`]),
  ];
}
