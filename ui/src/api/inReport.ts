/** Whether this is a report: it holds answers, and nobody can be asked for more. */
export const inReport = typeof document !== 'undefined' && document.querySelector('script#report') !== null;
