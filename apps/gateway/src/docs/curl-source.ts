/** A request that a sample makes with the token of an app. */
export interface SampleRequest {
  method: string;
  url: string;
  body: unknown;
  /** Media types of its response. */
  media: readonly string[];
}

const maxLineLength = 80;

/** The source of a request with curl. `$TOKEN` is an access token. */
export function curlSource({ method, url, body, media }: SampleRequest): string {
  return command([
    ...(media.includes('text/event-stream') ? ['-N'] : []),
    ...(media.includes('application/octet-stream') || media.includes('application/x-ndjson') ? ['-O'] : []),
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quoted(url),
    '-H "Authorization: Bearer $TOKEN"',
    ...(body === undefined ? [] : [`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(jsonText(body))}`]),
  ]);
}

/** The source of a token request, which stores the token in `TOKEN`. */
export function fieldsSource(url: string, fields: Record<string, string>): string {
  const options = Object.entries(fields).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  const request = command(['-s', quoted(url), '-u "$CLIENT_ID:$CLIENT_SECRET"', ...options]);
  return `TOKEN=$(${request} |\n  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}

/** Short options and the first argument are on the first line, each other one on its own. */
function command(parts: readonly string[]): string {
  const first = parts.findIndex((part) => part.startsWith("'"));
  return [`curl ${parts.slice(0, first + 1).join(' ')}`, ...parts.slice(first + 1)].join(' \\\n  ');
}

function jsonText(body: unknown): string {
  const text = JSON.stringify(body);
  return text.length <= maxLineLength ? text : JSON.stringify(body, null, 2);
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
