/** Events are delivered at least once, so a test that counts them takes each id once, as every consumer must. */
export function collectOnce<T extends { id: string }>(into: T[], events: readonly T[]): void {
  for (const event of events) if (!into.some(({ id }) => id === event.id)) into.push(event);
}
