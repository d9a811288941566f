// Categories that clusters keep back, and a team's policy, in words.

import type { PolicySaid } from '../../generated/api';
import { visible } from '../../format/visible';

const categories: Record<string, string> = {
  code: 'Code',
  profile: 'Profiles',
  exceptions: 'Messages and tracebacks',
  names: 'Task names',
  user: 'User name',
  host: 'Host names and addresses',
  paths: 'Folders',
  events: 'Events not on the allow list',
};

export function switchWords(category: string): string {
  return categories[category] ?? visible(category);
}

const kinds: Record<string, string> = { must_drop: 'Never shared', must_mask: 'Shared as an alias at most', may_send: 'May be shared' };

/** A sentence for each thing that a policy says. */
export function policyWords(policy: PolicySaid): string[] {
  return [
    ...(policy.team === null ? [] : [`Team: ${visible(policy.team)}.`]),
    ...(policy.level === null ? [] : [`Highest level: ${policy.level}.`]),
    policy.real_identities ? 'People and machines may be named.' : 'People and machines appear as aliases.',
    ...policy.rules.map((rule) => `${kinds[rule.kind] ?? visible(rule.kind)}: ${visible(rule.what)}.`),
    ...(policy.propose === null ? [] : [`Proposes clusters that match ${visible(policy.propose)}.`]),
  ];
}
