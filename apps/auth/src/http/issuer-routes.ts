import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { errors } from 'oidc-provider';
import { errorCatalogue, internalHeaders, type ErrorOrigin } from '@holdfast/contracts';
import { databaseUnavailableReason } from '@holdfast/data';
import { AppError, LogBudget, readJsonObject, unavailable, type Logger } from '@holdfast/platform';
import { CONFIG, LOGGER } from '@holdfast/service';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import { IssuerAudit } from '../organization-issuer/audit/issuer-audit.js';
import { isPublic } from '../organization-issuer/issuer-clients.js';
import { Issuers, type Issuer } from '../organization-issuer/issuers.js';
import { noteOutcome, originHeaders } from '../request-context/http-outcome.js';
import { actionPaths, issuerPath, routes, routeTemplate } from '../request-context/issuer-paths.js';
import { issuerRequest } from '../request-context/issuer-request.js';
import { SignInSteps, type SignInContext } from '../sign-in/sign-in.js';
import { adaptRequest } from './adapt-request.js';
import { redirectFormToQuery } from './redirect-form-to-query.js';
import { requireSameOrigin } from './same-site.js';

const metadataOfIssuer = /^\/\.well-known\/oauth-authorization-server\/o\/([^/?]+)$/;
const ofIssuer = /^\/o\/([^/?]+)(\/[^?]*)$/;
const signIn = /^\/api\/sign-in\/([A-Za-z0-9_-]{16,64})(?:\/(options|complete|cancel))?$/;

const unexpected = new LogBudget(10);

/** Bytes of an assertion with its extensions: a few kilobytes. */
const maxAssertionBytes = 65_536;

/** Where the address of an error is told to the gateway, which alone renders problems. */
export const errorHeader = internalHeaders.error;

/** Addresses of the organizations' issuers: finds the issuer and hands it the request as if it stood at its root. */
@Injectable()
export class IssuerRoutes {
  private readonly host: string;
  private readonly protocol: string;

  constructor(
    private readonly issuers: Issuers,
    private readonly steps: SignInSteps,
    private readonly audit: IssuerAudit,
    private readonly clients: ClientRegistry,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { host, protocol } = new URL(config.BASE_URL);
    this.host = host;
    this.protocol = protocol.slice(0, -1);
  }

  /** Undefined when it is no address of an issuer. */
  routeOf({
    url = '',
  }: IncomingMessage): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined {
    const end = url.indexOf('?');
    const [path, query] = end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end)];
    const metadata = metadataOfIssuer.exec(path);
    const own = ofIssuer.exec(path);
    const shortId = metadata?.[1] ?? own?.[1];
    const rest = metadata ? '/.well-known/oauth-authorization-server' : own?.[2];
    if (shortId === undefined || rest === undefined) return undefined;
    return (request, response) =>
      this.answer(request, response, shortId, rest, query).catch((error: unknown) =>
        this.fail(request, response, error),
      );
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    shortId: string,
    rest: string,
    query: string,
  ): Promise<void> {
    const issuer = await this.issuers.find(shortId);
    if (!issuer) {
      if (actionPaths.test(rest) && request.method !== 'OPTIONS')
        await this.audit.refuseAbsent(shortId, issuerRequest(request, routeTemplate(rest)));
      throw new AppError('unknown_organization');
    }
    // Node.js reads the first of several: another reader in front of us could take the last.
    if (actionPaths.test(rest) && (request.headersDistinct.authorization ?? []).length > 1)
      return replyOAuth(request, response, 400, {
        error: 'invalid_request',
        error_description: 'send one Authorization header',
      });
    // What a client says of its way here counts for nothing: links and cookies follow our own address.
    Object.assign(request.headers, {
      host: this.host,
      'x-forwarded-host': this.host,
      'x-forwarded-proto': this.protocol,
    });
    // Each GET of these does something: RFC 9110 §9.2.1 has HEAD do nothing.
    if (request.method === 'HEAD' && actionPaths.test(rest)) throw new AppError('method_not_allowed');
    const step = signIn.exec(rest);
    if (step) return this.answerPage(request, response, issuer, step[1]!, step[2]);
    if (request.method === 'POST' && (rest === routes.authorization || rest === routes.end_session))
      return redirectFormToQuery(request, response, issuerPath(shortId) + rest);
    request.url = rest + modesOnly(rest, query);
    (request as IncomingMessage & { originalUrl?: string }).originalUrl = issuerPath(shortId) + request.url;
    await issuer.callback(
      await adaptRequest(request, rest, (clientId) => this.isPublicClient(issuer, clientId)),
      response,
    );
  }

  private async isPublicClient({ organization }: Issuer, clientId: string): Promise<boolean> {
    const client = await this.clients.find(clientId);
    return client !== undefined && client.app.org === organization.shortId && isPublic(client.app);
  }

  private async answerPage(
    request: IncomingMessage,
    response: ServerResponse,
    issuer: Issuer,
    uid: string,
    step: string | undefined,
  ): Promise<void> {
    const facts = issuerRequest(request, `/o/{shortId}/api/sign-in/{uid}${step ? `/${step}` : ''}`);
    const call: SignInContext = { issuer, uid, request, response, facts };
    const answer = await this.takeStep(call, step).catch(async (thrown: unknown) => {
      const { code, status } = toAppError(thrown);
      // Nothing is known of what could not be asked, and audit itself may be what is away.
      if (code !== 'unavailable') await this.audit.refuse(issuer.organization.shortId, facts, code, status);
      throw thrown;
    });
    reply(response, facts.info.id, answer);
  }

  private async takeStep(call: SignInContext, step: string | undefined): Promise<object> {
    if (call.request.method !== (step ? 'POST' : 'GET')) throw new AppError('method_not_allowed');
    if (!step) return this.steps.show(call);
    requireSameOrigin(call.request, this.config.BASE_URL);
    const body = await readJsonObject(call.request, { maxBytes: maxAssertionBytes });
    if (step === 'complete') return this.steps.complete(call, body);
    return step === 'options' ? this.steps.options(call) : this.steps.cancel(call);
  }

  private fail(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.code === 'internal' && unexpected.take())
      this.logger.error({ err: thrown }, 'a request to an issuer failed');
    if (!request.complete) request.resume();
    if (response.headersSent) return void response.destroy();
    const {
      code,
      status,
      retryAfter,
      detail,
      origin = status >= 500 ? { dependency: 'issuer', cause: 'internal' as const } : undefined,
    } = error;
    noteOutcome(request, { code, detail, origin });
    const body = JSON.stringify({ error: code, error_description: errorCatalogue[code].title });
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        [errorHeader]: code,
        ...(status === 408 && { connection: 'close' }),
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
        ...originHeaders(request),
      })
      .end(body);
  }
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const away = databaseUnavailableReason(thrown);
  if (away !== undefined) return unavailable(away, 1, { dependency: 'postgres', cause: 'unreachable' });
  if (thrown instanceof errors.SessionNotFound) return new AppError('unknown_sign_in');
  if (thrown instanceof errors.OIDCProviderError && thrown.statusCode === 503)
    return unavailable(thrown.error_detail ?? '', 1, (thrown as { origin?: ErrorOrigin }).origin);
  return new AppError('internal');
}

function reply(response: ServerResponse, requestId: string, value: object): void {
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': requestId })
    .end(JSON.stringify(value));
}

/** An error in the form of RFC 6749 §5.2. */
function replyOAuth(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: { error: string; error_description: string },
): void {
  if (!request.complete) request.resume();
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}

/**
 * Query and form_post are what we answer by; the library knows the fragment as well, where a code does not belong (RFC
 * 9700 §4.3).
 */
function modesOnly(rest: string, query: string): string {
  if (rest !== routes.authorization) return query;
  // Parsed, since a name can be written in many ways: `response%5Fmode` is the same parameter.
  const params = new URLSearchParams(query);
  if (params.getAll('response_mode').every((mode) => mode === 'query' || mode === 'form_post')) return query;
  params.set('response_mode', 'unsupported');
  return `?${params}`;
}
