/** Calls back after the delay, and not before the tab is visible, so that a tab in the background sends no requests. */
export function afterVisible(delayMs: number, callback: () => void): void {
  setTimeout(() => {
    if (document.visibilityState === 'visible') callback();
    else document.addEventListener('visibilitychange', callback, { once: true });
  }, delayMs);
}
