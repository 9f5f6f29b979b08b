// Serves the files of the app, and nothing else of this folder. Any web server will do.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { config } from './config.js';

const { issuer, clientId, origin } = config;
const contentOf = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url));
const library = new URL('dist/browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts/package.json'));

/** @type {Record<string, [type: string, content: Buffer | string]>} */
const files = {
  '/': ['text/html', contentOf('../public/index.html')],
  '/app.js': ['text/javascript', contentOf('../public/app.js')],
  '/oidc-client-ts.js': ['text/javascript', contentOf(library.href)],
  '/settings.json': ['application/json', JSON.stringify({ issuer, clientId })],
};

/** Scripts of other sites, and requests to them, would be able to take the tokens. */
const policy = [
  `default-src 'none'; script-src 'self'; connect-src 'self' ${new URL(issuer).origin}`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

const server = createServer((request, response) => {
  const [type, content] = files[request.url?.split('?')[0] ?? ''] ?? [];
  if (!type) return response.writeHead(404).end();
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  return response.end(content);
});
server.listen(Number(new URL(origin).port), 'localhost', () => process.stdout.write(`Open ${origin}\n`));
