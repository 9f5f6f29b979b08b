import { fileURLToPath } from 'node:url';
import fastifyCookie from '@fastify/cookie';
import fastifyFormbody from '@fastify/formbody';
import fastifyHelmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import fastifyView from '@fastify/view';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Shop } from '../shop.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { shopRoutes } from './shop-routes.ts';
import { createHandlebars, partials } from './views.ts';

const folder = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

interface AppOptions {
  /** The address that browsers use, such as http://localhost:4000. */
  origin: string;
  /** The apps at this address, one per organization, each under its own path. */
  shops: Shop[];
  sessionSecret: string;
  /** Certificate chain and private key; undefined for plain HTTP. */
  https?: { cert: Buffer; key: Buffer } | undefined;
  logger?: boolean;
}

/** The web server of one address, with everything that its shops share. Their pages are in shopRoutes. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { origin, shops, sessionSecret, https, logger = true } = options;
  const app: FastifyInstance = Fastify({
    ...(https && { https }),
    logger,
    // Addresses are not logged: the query string of the redirect URI contains the authorization code.
    logController: new LogController({ disableRequestLogging: true }),
    // The largest form is sign-up with its presence proof, about 2 kB.
    bodyLimit: 10_000,
    // Browsers connect directly. Behind a proxy, set this to the proxy's address, never to `true`: with that, every
    // client could set the protocol and the client address that the server uses.
    trustProxy: false,
  });
  const { host, hostname, protocol } = new URL(origin);
  const isHttps = protocol === 'https:';

  // Under another name, such as 127.0.0.1, cookies and redirect URIs do not match. A foreign name that resolves to this
  // machine (DNS rebinding) gets no page either.
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.host === host) return;
    return reply.redirect(origin + (request.url.startsWith('/') ? request.url : '/'), 307);
  });
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: contentSecurityPolicy(shops[0]!.settings),
    // Staff pages have the customer's subject in their address.
    referrerPolicy: { policy: 'no-referrer' },
    // Browsers would use https with each port of the host, and `localhost` is that of other programs as well.
    strictTransportSecurity: isHttps && hostname !== 'localhost',
  });
  await app.register(fastifyCookie);
  await app.register(fastifyFormbody);
  await app.register(fastifyStatic, { root: folder('public') });
  await app.register(fastifyView, {
    engine: { handlebars: createHandlebars() },
    root: folder('views'),
    layout: 'layout.hbs',
    options: { partials },
    production: true,
  });

  for (const shop of shops)
    await app.register(shopRoutes, { prefix: shop.settings.path, shop, sessionSecret, secureCookie: isHttps });

  app.get('/healthz', () => 'ok\n');
  const directory = { title: 'Shops', shops: shops.map(({ name, settings: { path } }) => ({ name, path })) };
  app.get('/', (_, reply) => reply.view('shops.hbs', directory));
  app.setNotFoundHandler((_, reply) => reply.code(404).view('shops.hbs', directory));
  return app;
}
