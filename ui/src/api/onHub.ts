/** Whether a team's hub shows this page: it reads there, and has no say over the machine. */
export const onHub = typeof document !== 'undefined' && document.querySelector('meta[name="bobbin-hub"]') !== null;
