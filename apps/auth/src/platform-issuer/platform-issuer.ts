import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from '@holdfast/platform';
import { CONFIG, LOGGER } from '@holdfast/service';
import { ClientKeys } from '../client-authentication/client-keys.js';
import { SecretHashes } from '../client-authentication/secret-hashes.js';
import { ClientLimits } from '../clients/client-limits.js';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import { PlatformSigningKeys } from '../keys/platform-signing-keys.js';
import type { KeySet } from '../keys/signing-keys.js';
import { StateStore } from '../sessions/state-store.js';
import { platformMetadata } from './metadata.js';
import { createPlatformProvider, tokenRoute } from './platform-provider.js';
import { TokenAudit } from './token-audit.js';
import { guardTokenEndpoint } from './token-middleware.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Token endpoint and metadata of the platform issuer. */
@Injectable()
export class PlatformIssuer implements OnModuleInit {
  private readonly routes = new Map<string, Handler>();
  private endpoint?: { keys: KeySet; callback: Handler };

  constructor(
    private readonly keys: PlatformSigningKeys,
    private readonly clients: ClientRegistry,
    private readonly clientKeys: ClientKeys,
    private readonly limits: ClientLimits,
    private readonly secrets: SecretHashes,
    private readonly store: StateStore,
    private readonly audit: TokenAudit,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { BASE_URL: baseUrl } = this.config;
    const { host, protocol } = new URL(baseUrl);
    this.routes.set(`POST ${tokenRoute}`, (request, response) => {
      // Proofs name our own address (RFC 9449 §4.3), so forwarding headers of a client are overwritten.
      const own = { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) };
      Object.assign(request.headers, own);
      return this.tokenEndpoint()(request, response);
    });
    const metadata = JSON.stringify(platformMetadata(baseUrl));
    this.routes.set('GET /.well-known/oauth-authorization-server', (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' })
        .end(metadata);
    });
  }

  /** Built again when the keys change. */
  private tokenEndpoint(): Handler {
    const keys = this.keys.current;
    if (this.endpoint?.keys === keys) return this.endpoint.callback;
    const { clients, clientKeys, limits, secrets, store } = this;
    const { BASE_URL: baseUrl, KEY_ENCRYPTION_KEY: nonceKey } = this.config;
    const options = { baseUrl, keys: keys.keys, clients, clientKeys, limits, secrets, store, nonceKey };
    const provider = createPlatformProvider(options);
    guardTokenEndpoint(provider, this.audit, this.logger);
    this.endpoint = { keys, callback: provider.callback() };
    return this.endpoint.callback;
  }

  /** The handler of this address; undefined when the platform issuer has no such address. */
  routeOf({ method, url = '' }: IncomingMessage): Handler | undefined {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const handler = this.routes.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
    if (handler) return handler;
    const allowed = [...this.routes.keys()]
      .filter((route) => route.endsWith(` ${path}`))
      .map((route) => route.split(' ')[0]);
    if (allowed.length === 0) return undefined;
    return (_request, response) => void response.writeHead(405, { allow: allowed.join(', ') }).end();
  }
}
