/**
 * Whether an Accept header prefers plain text to JSON (RFC 9110 §12.5.1). Without a preference the response is JSON.
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
