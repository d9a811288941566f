// A release file and its packages, as a person chose them: read here, judged by core.

import { client } from '../../api';
import type { BesidePackage, CheckedPackage, ReleaseCheck } from '../../generated/api';
import { chosen } from './updates';

/** As core has it: one byte more, and it says what is wrong. */
const mostBytes = 1 << 20;

/** Checks what was chosen. The packages stay in this page: only their hashes are compared. */
export async function check(files: File[], key: string | null): Promise<ReleaseCheck> {
  const { release, packages } = chosen(files);
  const request = { file: await release.slice(0, mostBytes + 1).text(), key };
  // What it names is worth reading once its signature holds.
  const signed = await client.call('check_release', request);
  if (packages.length === 0) return signed;
  return client.call('check_release', { ...request, beside: await besideOf(signed.packages, packages) });
}

async function besideOf(released: CheckedPackage[], files: File[]): Promise<BesidePackage[]> {
  const found: BesidePackage[] = [];
  for (const one of released) {
    const file = files.find((file) => file.name === one.name);
    if (file === undefined) continue;
    // One of another size is another file, and is not read.
    found.push({ name: one.name, bytes: file.size, sha256: file.size === one.bytes ? await sha256(file) : null });
  }
  return found;
}

async function sha256(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
