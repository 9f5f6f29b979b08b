/**
 * Whether an Accept header asks for plain text rather than JSON (RFC 9110 §12.5.1). JSON is what everybody gets who
 * does not say.
 */
export function prefersText(accept = ''): boolean {
  const weight = (type: string) =>
    Math.max(
      0,
      ...accept
        .split(',')
        .map((range) =>
          range
            .trim()
            .toLowerCase()
            .split(/\s*;\s*/),
        )
        .filter(([name]) => name === type)
        .map(quality),
    );
  return weight('text/plain') > weight('application/json');
}

function quality([, ...parameters]: string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  return q === undefined ? 1 : Number(q.slice(2)) || 0;
}
