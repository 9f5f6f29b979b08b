/** The value of a metric without labels in Prometheus' text format; 0 when it is not there. */
export function metric(text: string, name: string): number {
  const line = text.split('\n').find((l) => l.startsWith(`${name} `) || l.startsWith(`${name}{`));
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0);
}
