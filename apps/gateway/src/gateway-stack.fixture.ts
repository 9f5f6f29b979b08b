import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Controller, Module, type Type } from '@nestjs/common';
import {
  countDeniedRequests,
  knownOrganizations,
  type AuditRecord,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { createLogger, readServerTls, type BaseConfig, type ServerTlsFiles } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import { freePort, startTestBus, type TestBus } from '@holdfast/testing';
import { GatewayModule } from './app.module.js';
import { configSchema } from './config.js';
import { createHttpApp } from './http.js';

/** The records of denied requests that the audit stub received, by id, each with its last count. */
export const deniedRequestRecords = new Map<string, AuditRecord>();

@Controller()
class AuditStubController {
  @Handles(countDeniedRequests)
  async count({ deniedRequests }: RequestOf<typeof countDeniedRequests>): Promise<Record<string, never>> {
    for (const { record } of deniedRequests) deniedRequestRecords.set(record.id, record);
    return {};
  }
}
@Controller()
class DirectoryStubController {
  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds };
  }
}
@Module({ controllers: [AuditStubController] })
class AuditStubModule {}
@Module({ controllers: [DirectoryStubController] })
class DirectoryStubModule {}

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface StubResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A service stub of auth that records its requests. */
export class AuthStub {
  readonly received: ReceivedRequest[] = [];
  /** `hang` never responds to a request, `stopping` responds that it has not started it. */
  mode: 'respond' | 'hang' | 'stopping' = 'respond';
  response: StubResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"from":"auth"}' };
  /** Responses wait for this promise. */
  hold: Promise<void> = Promise.resolve();
  private server!: Server;
  port = 0;

  /** @param tls serves HTTPS, to clients with a certificate of this authority */
  constructor(
    private readonly tls?: ServerTlsFiles,
    private readonly host = '127.0.0.1',
  ) {}

  async start(port = this.port): Promise<this> {
    const onRequest = (request: IncomingMessage, response: ServerResponse) => void this.respond(request, response);
    this.server = this.tls
      ? createTlsServer({ ...readServerTls(this.tls), requestCert: true }, onRequest)
      : createServer(onRequest);
    await new Promise<void>((resolve) => this.server.listen(port, this.host, resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  get url(): string {
    return this.tls ? `https://localhost:${this.port}` : `http://127.0.0.1:${this.port}`;
  }

  /** Refuses connections, like a process that died. */
  stop(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (this.mode === 'hang') return;
    if (this.mode === 'stopping')
      return void response.writeHead(503, { 'x-holdfast-closing': '1', connection: 'close' }).end();
    if (request.url === '/readyz') return void response.writeHead(200).end();
    this.received.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    await this.hold;
    const { status, headers, body } = this.response;
    response.writeHead(status, { ...headers, 'keep-alive': 'timeout=99' }).end(body);
  }
}

export interface Gateway {
  port: number;
  service: RunningService;
}

const silent = createLogger('test', 'fatal');

type StubbedService = 'audit' | 'directory' | 'auth';

/** Gateways with an ephemeral nats-server and stubs of audit and directory, and of auth where a test has one. */
export class GatewayStack {
  private readonly services: RunningService[] = [];
  /** By how many ms the clock of each service's machine is ahead. */
  readonly aheadMs = { gateway: 0, audit: 0, directory: 0, auth: 0 };
  private constructor(readonly nats: TestBus) {}

  static async start(stubs: Partial<Record<StubbedService, Type>> = {}): Promise<GatewayStack> {
    const stack = new GatewayStack(await startTestBus());
    const modules = { audit: AuditStubModule, directory: DirectoryStubModule, ...stubs };
    for (const [service, module] of Object.entries(modules) as [StubbedService, Type][]) {
      stack.services.push(
        await startService({
          service,
          config: stack.config(service),
          module,
          logger: silent,
          machineTimeMs: () => Date.now() + stack.aheadMs[service],
        }),
      );
    }
    return stack;
  }

  async gateway(auths: AuthStub[], env: Record<string, string> = {}): Promise<Gateway> {
    const port = await freePort();
    const config = configSchema.parse({
      ...this.config('gateway'),
      HOLDFAST_EXIT_WITH_PARENT: 'false',
      BASE_URL: 'https://id.example',
      HTTP_PORT: String(port),
      HTTP_HOST: '127.0.0.1',
      HTTP_DRAIN_SECONDS: '0',
      AUTH_URLS: auths.map((a) => a.url).join(','),
      PAGE_TOKEN_KEY: Buffer.alloc(32, 5).toString('base64url'),
      ...env,
    });
    const service = await startService({
      service: 'gateway',
      config,
      module: GatewayModule,
      outgoing: { max: config.BUS_MAX_REQUESTS, maxPerService: config.BUS_MAX_REQUESTS_PER_SERVICE },
      createApp: createHttpApp(config),
      logger: silent,
      machineTimeMs: () => Date.now() + this.aheadMs.gateway,
    });
    this.services.push(service);
    return { port, service };
  }

  async stop(): Promise<void> {
    for (const service of this.services.reverse()) await service.stop();
    await this.nats.stop();
  }

  private config(user: 'gateway' | StubbedService): BaseConfig {
    return {
      NATS_URL: this.nats.url,
      NATS_NKEY_SEED: this.nats.seed(user),
      BASE_URL: 'https://id.example',
      OPS_PORT: 0,
      OPS_HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      HOLDFAST_REPLICA: '1',
      HOLDFAST_EXIT_WITH_PARENT: false,
    };
  }
}
