/** Adds each event once by its id, since events are delivered at least once. */
export function collectOnce<T extends { id: string }>(into: T[], events: readonly T[]): void {
  for (const event of events) if (!into.some(({ id }) => id === event.id)) into.push(event);
}
