// One sentence, a severity and a next step for each way in which asking can fail.

import type { ApiError, ErrorCode } from '../api';
import { visible } from '../format/visible';

interface Words {
  title: string;
  tone: 'warn' | 'bad';
  next: string;
}

const words: Record<ErrorCode, Words> = {
  invalid: { title: 'Invalid request', tone: 'warn', next: '' },
  too_large: { title: 'This is too large', tone: 'warn', next: '' },
  not_found: { title: 'Not found', tone: 'warn', next: 'It may have been deleted, or it may be in another Bobbin.' },
  refused: { title: 'Refused', tone: 'warn', next: '' },
  busy: { title: 'Bobbin is busy', tone: 'warn', next: 'The page retries automatically.' },
  disk_full: { title: 'The disk is full', tone: 'bad', next: 'Free up some space; Bobbin then continues automatically.' },
  store: { title: 'Bobbin can’t use the store', tone: 'bad', next: '' },
  internal: { title: 'Something went wrong', tone: 'bad', next: 'Your stored data is not affected.' },
  offline: { title: 'No contact', tone: 'warn', next: 'You are seeing the last data that arrived.' },
  signed_out: { title: 'Not signed in', tone: 'warn', next: '' },
};

export function errorWords(error: ApiError): Words & { message: string } {
  const { title, tone, next } = words[error.code];
  return { title, tone, message: visible(error.message), next: error.hint ?? next };
}
