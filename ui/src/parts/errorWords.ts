// One sentence, a severity and a next step for each way in which asking can fail.

import type { ApiError, ErrorCode } from '../api';
import { visible } from '../format/visible';

interface Words {
  title: string;
  tone: 'warn' | 'bad';
  next: string;
}

const words: Record<ErrorCode, Words> = {
  invalid: { title: 'This cannot be asked', tone: 'warn', next: 'The address may be from another version of Bobbin.' },
  too_large: { title: 'This is too large', tone: 'warn', next: '' },
  not_found: { title: 'There is nothing here', tone: 'warn', next: 'It may have been deleted, or be in another Bobbin.' },
  refused: { title: 'Refused', tone: 'warn', next: '' },
  busy: { title: 'Bobbin is busy', tone: 'warn', next: 'The page asks again by itself.' },
  disk_full: { title: 'The disk is full', tone: 'bad', next: 'Free some space; Bobbin goes on by itself.' },
  store: { title: 'The store cannot be used', tone: 'bad', next: '' },
  internal: { title: 'Bobbin failed at this', tone: 'bad', next: 'What is stored is not affected.' },
  offline: { title: 'No contact', tone: 'warn', next: 'What you see is what came last.' },
  signed_out: { title: 'Not signed in', tone: 'warn', next: '' },
};

export function errorWords(error: ApiError): Words & { message: string } {
  const { title, tone, next } = words[error.code];
  return { title, tone, message: visible(error.message), next: error.hint ?? next };
}
