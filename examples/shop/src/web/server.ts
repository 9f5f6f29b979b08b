import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { routes } from '../pages/routes.ts';
import { damagedForm, directory, notHere, troubleOf } from '../pages/trouble.ts';
import type { Shop } from '../shop.ts';
import { backChannelLogoutPath, endSessions } from './back-channel-logout.ts';
import { cookieName, pageHeaders, plainHeaders, readCookie, sessionCookie } from './headers.ts';
import { layout } from './layout.ts';
import { findRoute } from './routes.ts';
import { csrfMatches } from './sessions.ts';
import type { Answer, Visit } from './visit.ts';

const asset = (file: string, type: string) => ({ text: readFileSync(new URL(`../${file}`, import.meta.url)), type });
const assets: Record<string, ReturnType<typeof asset>> = {
  '/style.css': asset('style.css', 'text/css; charset=utf-8'),
  '/icon.svg': asset('icon.svg', 'image/svg+xml'),
};

const formLimit = 10_000;

/** All shops of one origin, each under its organization's path. */
export function createShopServer(origin: string, shops: Shop[]): Server {
  return createServer((request, response) => {
    void serve(origin, shops, request, response).catch((error: unknown) => {
      process.stderr.write(`${request.method} failed: ${String((error as Error).stack ?? error)}\n`);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain', ...plainHeaders });
      response.end('Something went wrong on our side.\n');
    });
  });
}

async function serve(origin: string, shops: Shop[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Under another name, such as 127.0.0.1, cookies and redirect URIs would not fit; and a stranger's name may point at
  // us.
  if (request.headers.host !== new URL(origin).host)
    return void response
      .writeHead(307, { location: origin + (request.url?.startsWith('/') ? request.url : '/'), ...plainHeaders })
      .end();
  const url = new URL(request.url?.startsWith('/') ? origin + request.url : origin);
  if (url.pathname === '/healthz') return void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
  const found = assets[url.pathname];
  if (found)
    return void response
      .writeHead(200, { 'content-type': found.type, 'cache-control': 'no-cache', ...plainHeaders })
      .end(found.text);

  const shop = shops.find(({ settings: { path } }) => url.pathname === path || url.pathname.startsWith(`${path}/`));
  if (!shop) {
    const { settings } = shops[0]!;
    return void response.writeHead(url.pathname === '/' ? 200 : 404, pageHeaders(settings)).end(directory(shops));
  }
  const { settings } = shop;
  if (request.method === 'POST' && url.pathname === settings.path + backChannelLogoutPath)
    return endSessions(shop, await readForm(request), response);
  const sessionId = readCookie(request.headers.cookie, cookieName(settings));
  const session = shop.sessions.find(sessionId);
  const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams();
  const visit: Visit = {
    shop,
    path: url.pathname.slice(settings.path.length) || '/',
    query: url.searchParams,
    params: {},
    form,
    session,
    sessionId: session && sessionId,
  };
  const answer = await answerTo(request, visit);
  if (visit.sessionId !== sessionId) response.setHeader('set-cookie', sessionCookie(settings, visit.sessionId));
  if ('redirectTo' in answer)
    return void response
      .writeHead(303, { location: answer.redirectTo, 'cache-control': 'no-store', ...plainHeaders })
      .end();
  response.writeHead(answer.status, pageHeaders(settings, answer.page.widget)).end(layout(visit, answer.page));
}

async function answerTo({ method = 'GET' }: IncomingMessage, visit: Visit): Promise<Answer> {
  const route = findRoute(routes, method === 'HEAD' ? 'GET' : method, visit.path);
  if (!route) return notHere(visit);
  if (method === 'POST' && !csrfMatches(visit.session, visit.form.get('csrf'))) return damagedForm(visit);
  try {
    return await route.handler(Object.assign(visit, { params: route.params }));
  } catch (error) {
    return troubleOf(visit, error);
  }
}

/** Too much is nothing: without its CSRF token the form is refused. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request as AsyncIterable<string>) if (text.length <= formLimit) text += chunk;
  return new URLSearchParams(text.length > formLimit ? '' : text);
}
