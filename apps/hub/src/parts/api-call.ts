/** A request as a program would send it. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Of the API, with its parameters. */
  path: string;
  body?: object | undefined;
}

export const apiLanguages = ['curl', 'TypeScript', 'Python'] as const;
export type ApiLanguage = (typeof apiLanguages)[number];

/** The request in a language; the token is a placeholder. @param origin of the deployment */
export function snippetOf(language: ApiLanguage, origin: string, { method, path, body }: ApiCall): string {
  const url = origin + path;
  switch (language) {
    case 'curl':
      return [
        `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
        `  -H "Authorization: Bearer $ACCESS_TOKEN"`,
        ...(body ? ["  -H 'Content-Type: application/json'", `  -d ${quoted(JSON.stringify(body))}`] : []),
      ].join(' \\\n');
    case 'TypeScript':
      return [
        `const response = await fetch(${JSON.stringify(url)}, {`,
        `  method: '${method}',`,
        body
          ? "  headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },"
          : '  headers: { authorization: `Bearer ${accessToken}` },',
        ...(body ? [`  body: JSON.stringify(${indented(body)}),`] : []),
        '});',
      ].join('\n');
    case 'Python':
      return [
        'import json, urllib.request',
        '',
        'request = urllib.request.Request(',
        `    ${JSON.stringify(url)},`,
        `    method="${method}",`,
        body
          ? '    headers={"Authorization": f"Bearer {access_token}", "Content-Type": "application/json"},'
          : '    headers={"Authorization": f"Bearer {access_token}"},',
        ...(body ? [`    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(body))})).encode(),`] : []),
        ')',
        'response = json.load(urllib.request.urlopen(request))',
      ].join('\n');
  }
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function indented(body: object): string {
  return JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
}
