// What became of a file that arrived.

import type { InboxFile } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { visible } from '../../format/visible';

/** `read to its end`, `read up to 3.00 MiB`, `refused: at byte 0: …`. */
export function fileWords(file: Pick<InboxFile, 'bytes' | 'read_bytes' | 'refused'>): string {
  if (file.refused !== null) return file.refused === '' ? 'refused' : `refused: ${visible(file.refused)}`;
  if (file.read_bytes === 0) return 'not read yet';
  return file.read_bytes >= file.bytes ? 'read to its end' : `read up to ${bytes(file.read_bytes)}`;
}
