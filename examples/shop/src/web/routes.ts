import type { Handler } from './visit.ts';

export type Routes = Record<string, Handler>;

/** Finds `GET /staff/:subject` for GET and /staff/abc. */
export function findRoute(
  routes: Routes,
  method: string,
  path: string,
): { handler: Handler; params: Record<string, string> } | undefined {
  for (const [route, handler] of Object.entries(routes)) {
    const [wanted = '', pattern = ''] = route.split(' ');
    const params = wanted === method ? match(pattern, path) : undefined;
    if (params) return { handler, params };
  }
  return undefined;
}

function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decoded(given[i] ?? '');
    else if (part !== given[i]) return undefined;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
