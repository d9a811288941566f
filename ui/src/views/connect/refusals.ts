// Why the receiver turned somebody away, and what to do about it.

import { visible } from '../../format/visible';

export interface RefusalWords {
  /** What was refused: `requests with a wrong token`. */
  what: string;
  /** What that means for somebody who waits for a scheduler. */
  means: string;
  /** What to do. */
  next: string;
}

const words: Record<string, RefusalWords> = {
  wrong_token: { what: 'with a wrong or missing token', means: 'A request reached the receiver, but its token is not the one of this Bobbin.', next: 'Give the scheduler the token of this Bobbin (Settings, Receiver), or copy the commands for its machine again, then restart the scheduler.' },
  write_only_key: { what: 'with a key that may only send', means: 'A request used an issued key for something other than sending.', next: 'That key is enough for reports. Reading needs the token itself.' },
  wrong_host: { what: 'under another name or port', means: 'A request reached the receiver under a name or port that is not its own.', next: 'Use the same port at both ends of the tunnel, and 127.0.0.1 in DASK_BOBBIN__RECEIVER.' },
  tls: { what: 'whose TLS handshake failed', means: 'A request reached the receiver, but the two could not agree on TLS.', next: 'The address must be https:// with #sha256= and the pin of this Bobbin. The scheduler’s Python needs TLS 1.2 or newer.' },
  tls_left: { what: 'that left when they saw the certificate', means: 'A client saw the certificate of this Bobbin and disconnected, because it pins another one.', next: 'Copy DASK_BOBBIN__RECEIVER again, including its end with #sha256=.' },
  plaintext: { what: 'in plain text from another machine', means: 'Another machine connected without TLS.', next: 'Use the https:// address with its pin (Settings, Receiver).' },
  this_machine_only: { what: 'by the published client from another machine', means: 'The published client connected from another machine. It works only on this machine.', next: 'Use Bobbin’s own plugin there, or a tunnel to 127.0.0.1.' },
  too_slow: { what: 'that were too slow', means: 'A client connected but was too slow to send its request.', next: 'Check that the tunnel is open and the connection is not overloaded.' },
  browser: { what: 'from a browser', means: 'A web page contacted the receiver, which talks only to programs.', next: 'Open the page with the link that bobbin serve --ui prints.' },
  other_user: { what: 'from another user of this machine', means: 'Another user of this machine tried the socket.', next: 'Only your own schedulers can use it. Other users need their own Bobbin.' },
  too_large: { what: 'that were too large', means: 'A batch was over the size limit.', next: 'The plugin splits it and sends it again.' },
  busy: { what: 'that were asked to retry: too much at once', means: 'The receiver had no room for a moment.', next: 'The plugin keeps its batch and retries automatically.' },
  quota: { what: 'beyond the quota of their key', means: 'A key sent more than its quota allows in this time.', next: 'The plugin keeps its batch and retries automatically.' },
  too_many_connections: { what: 'with too many connections', means: 'Too many connections are open at once.', next: 'The receiver drops those without a valid token first.' },
  locked: { what: 'that were encrypted while the key was locked', means: 'An encrypted batch arrived while the key was locked.', next: 'Unlock the key under Settings, Privacy.' },
  invalid: { what: 'that could not be read', means: 'A request held no batch, or a batch of a newer plugin.', next: 'Copy the plugin there again. It must be the one of this Bobbin.' },
};

export function refusalWords(reason: string): RefusalWords {
  return words[reason] ?? { what: `as ${visible(reason)}`, means: `The receiver refused it: ${visible(reason)}.`, next: 'Check this setup (Settings, Doctor) to find out more.' };
}
