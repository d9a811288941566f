// A page that fails must say so: without this, an error at start-up leaves a blank window.

/** Shows an error over the page, as text. Later errors are counted, the first is kept: it is usually the cause. */
export function showFault(what: string): void {
  let box = document.getElementById('fault');
  if (box === null) {
    box = document.createElement('div');
    box.id = 'fault';
    box.setAttribute('role', 'alert');
    const title = document.createElement('strong');
    title.textContent = 'Something went wrong on this page. Your stored data is not affected.';
    const text = document.createElement('pre');
    text.textContent = what;
    const again = document.createElement('button');
    again.textContent = 'Reload the page';
    again.addEventListener('click', () => location.reload());
    const away = document.createElement('button');
    away.textContent = 'Dismiss';
    away.addEventListener('click', () => box?.remove());
    box.append(title, text, again, away);
    document.body.append(box);
    return;
  }
  const count = Number(box.dataset.more ?? '0') + 1;
  box.dataset.more = String(count);
  const note = box.querySelector('em') ?? box.insertBefore(document.createElement('em'), box.querySelector('button'));
  note.textContent = count === 1 ? 'One more error followed.' : `${count} more errors followed.`;
}

function words(reason: unknown): string {
  if (reason instanceof Error) return reason.stack ?? `${reason.name}: ${reason.message}`;
  return String(reason);
}

if (typeof window !== 'undefined') {
  window.addEventListener('error', (event) => showFault(words(event.error ?? event.message)));
  window.addEventListener('unhandledrejection', (event) => showFault(words(event.reason)));
}
