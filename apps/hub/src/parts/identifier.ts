/** An id shortened in the middle, when it is long: lists stay readable, and two ids remain different. */
export function shortened(id: string): string {
  return id.length <= 20 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`;
}
