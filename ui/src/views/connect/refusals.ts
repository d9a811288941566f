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
  wrong_token: { what: 'with a wrong token, or none', means: 'Somebody reached the receiver, and its token is not the one of this Bobbin.', next: 'Give the scheduler the token of this Bobbin (Settings, Receiver), or copy the lines for its machine once more, and start it again.' },
  write_only_key: { what: 'with a key that may only send', means: 'A key that was handed out asked for something else than to send.', next: 'Reports need no more than that key; reading needs the token itself.' },
  wrong_host: { what: 'under another name or port', means: 'Somebody reached the receiver, and called it by a name or port that is not its own.', next: 'Use the same port at both ends of the tunnel, and 127.0.0.1 in DASK_BOBBIN__RECEIVER.' },
  tls: { what: 'whose TLS did not come about', means: 'Somebody reached the receiver, and the two could not agree on TLS.', next: 'The address must be https:// with #sha256= and the pin of this Bobbin; the scheduler’s Python needs TLS 1.2 or newer.' },
  tls_left: { what: 'that left when they saw the certificate', means: 'Somebody saw the certificate of this Bobbin and left without a word: it pins another one.', next: 'Copy DASK_BOBBIN__RECEIVER once more, its end with #sha256= included.' },
  plaintext: { what: 'in plain text from another machine', means: 'Another machine spoke without TLS.', next: 'Use the https:// address with its pin (Settings, Receiver).' },
  this_machine_only: { what: 'by the published client from another machine', means: 'The published client asked from another machine; it is served on this one alone.', next: 'Use Bobbin’s own plugin there, or a tunnel to 127.0.0.1.' },
  too_slow: { what: 'that were too slow', means: 'Somebody connected and was too slow to ask.', next: 'Look whether the tunnel stands, and whether the line is overloaded.' },
  browser: { what: 'from a browser', means: 'A web page asked the receiver, which talks to programs alone.', next: 'Open the page by the link that bobbin serve --ui prints.' },
  other_user: { what: 'from another user of this machine', means: 'Another user of this machine tried the socket.', next: 'Only your own schedulers can use it; others need a Bobbin of their own.' },
  too_large: { what: 'that were too large', means: 'A batch was larger than it may be.', next: 'The plugin splits it and sends it again.' },
  busy: { what: 'that were asked to come again: too much at once', means: 'The receiver had no room for a moment.', next: 'The plugin keeps its batch and comes again by itself.' },
  quota: { what: 'beyond the quota of their key', means: 'A key sent more than it may in this time.', next: 'The plugin keeps its batch and comes again by itself.' },
  too_many_connections: { what: 'with too many connections', means: 'Too many connections are open at once.', next: 'Those without a right token go first.' },
  locked: { what: 'that were sealed while the key was away', means: 'A sealed batch came while the key is locked.', next: 'Unlock the key under Settings, Privacy.' },
  invalid: { what: 'that could not be read', means: 'What came is no batch, or one of a newer plugin.', next: 'Copy the plugin there once more: it must be the one of this Bobbin.' },
};

export function refusalWords(reason: string): RefusalWords {
  return words[reason] ?? { what: `as ${visible(reason)}`, means: `The receiver refused it: ${visible(reason)}.`, next: 'bobbin doctor may say more.' };
}
