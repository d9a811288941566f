/** Hands a file to the browser. */
export function download(name: string, bytes: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  // Browsers begin a download before the next task.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
