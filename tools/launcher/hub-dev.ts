// The hub from its sources, with hot reload, in front of the running stack.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type Plugin } from 'vite';
import { root } from '../setup/paths.mjs';

const source = join(root, 'apps', 'hub', 'src');
const port = 5173;

/** Addresses below the hub that the gateway serves itself (apps/gateway/src/hub/hub.controller.ts). */
const ofGateway = /^\/hub\/[^/]+\/(sign-in|sign-out|callback)(\?|$)/;

/** Serves the document of the hub at each of its addresses, as the gateway does. */
const hubDocument: Plugin = {
  name: 'hub-document',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const url = request.url ?? '';
      if (request.method !== 'GET' || !url.startsWith('/hub/') || ofGateway.test(url)) return next();
      readFile(join(source, 'hub.html'), 'utf8')
        .then((html) => server.transformIndexHtml('/hub.html', html))
        // The icon is no file of the hub: the gateway serves it.
        .then((html) => html.replace('/pages/favicon.ico', '/favicon.ico'))
        .then((html) => response.setHeader('content-type', 'text/html').end(html))
        .catch(next);
    });
  },
};

/**
 * Everything but the hub comes from the stack. Cookies do not know ports, so a sign-in at the stack holds here too.
 * @param baseUrl of the running stack
 * @returns the address of the hubs, without the organization
 */
export async function serveHub(baseUrl: string): Promise<string> {
  const { origin } = new URL(baseUrl);
  const server = await createServer({
    configFile: join(source, 'build', 'vite.config.ts'),
    plugins: [hubDocument],
    appType: 'custom',
    server: {
      host: 'localhost',
      port,
      strictPort: true,
      proxy: {
        '^/(?!pages/)': {
          target: origin,
          changeOrigin: true,
          // The gateway takes changes from its own pages only.
          headers: { origin },
        },
      },
    },
  });
  await server.listen();
  return `http://localhost:${port}/hub/`;
}
