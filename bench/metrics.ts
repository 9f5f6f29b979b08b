/** The first value of a metric in Prometheus' text format; 0 when the metric is absent. */
export function metric(text: string, name: string): number {
  const line = text.split('\n').find((l) => l.startsWith(`${name} `) || l.startsWith(`${name}{`));
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0);
}
