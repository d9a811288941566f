// The staged file to where the reader wants it: first approved by its hash, to be saved and not to be sent, then byte for byte.

import { client } from '../../api';
import { download } from '../../api/download';
import type { Stage } from '../../generated/api';
import { fileName } from './words';

/** The approved stage; null where the reader thought better of it. */
export async function save(stage: Stage): Promise<Stage | null> {
  const { id, sha256 } = stage;
  if (sha256 === null) return null;
  const name = fileName(stage);
  if (client.place !== null) {
    const path = await client.place(name);
    if (path === null) return null;
    const approved = await client.call('approve_stage', { id, sha256, to_save: true });
    await client.call('save_stage', { id, path });
    return approved;
  }
  const approved = await client.call('approve_stage', { id, sha256, to_save: true });
  download(name, await bytesOf(id));
  return approved;
}

/** The same bytes to be looked at by other tools; nothing is approved. */
export async function bytesOf(id: number): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: { base64: string; next: number | null } = await client.call('stage_bytes', { id, offset });
    pieces.push(Uint8Array.from(atob(piece.base64), (letter) => letter.charCodeAt(0)));
    offset = piece.next;
  }
  return new Blob(pieces, { type: 'application/octet-stream' });
}
