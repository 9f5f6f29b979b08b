import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { errors } from 'oidc-provider';
import { errorCatalogue, internalHeaders, type ErrorOrigin } from '@holdfast/contracts';
import { databaseUnavailableReason } from '@holdfast/data';
import { AppError, LogBudget, readJsonObject, unavailable, type Logger } from '@holdfast/platform';
import { CONFIG, LOGGER } from '@holdfast/service';
import { isPublic } from '../clients/client-record.js';
import { ClientRegistry } from '../clients/client-registry.js';
import type { Config } from '../config.js';
import { DeviceSignIn } from '../device-sign-in/device-sign-in.js';
import { IssuerAudit } from '../organization-issuer/audit/issuer-audit.js';
import { Issuers, type Issuer } from '../organization-issuer/issuers.js';
import { withoutFragmentMode } from '../organization-issuer/response-modes.js';
import { noteOutcome, originHeaders } from '../request-context/http-outcome.js';
import { actionPath, issuerPath, routes, routeTemplate } from '../request-context/issuer-paths.js';
import { createIssuerRequest } from '../request-context/issuer-request.js';
import { requireSameOrigin } from '../request-context/same-site.js';
import { SignInSteps, type SignInContext } from '../sign-in/sign-in.js';
import { adaptRequest } from './adapt-request.js';
import { redirectFormToQuery } from './redirect-form-to-query.js';

const metadataPath = /^\/\.well-known\/oauth-authorization-server\/o\/([^/?]+)$/;
const pathOfIssuer = /^\/o\/([^/?]+)(\/[^?]*)$/;
const signInPath = /^\/api\/sign-in\/([A-Za-z0-9_-]{16,64})(?:\/(options|complete|cancel))?$/;

const unexpectedErrorLines = new LogBudget(10);

const devicePath = /^\/device(?:\/([A-Za-z0-9_-]{16,64}))?$/;

/** Of an assertion with its extensions, which has a few kilobytes. */
const maxAssertionBytes = 65_536;

/** Has the error code for the gateway, which renders problem details. */
export const errorHeader = internalHeaders.error;

/** Routes a request to the issuer of its organization, with a path relative to that issuer. */
@Injectable()
export class IssuerRoutes {
  private readonly host: string;
  private readonly protocol: string;

  constructor(
    private readonly issuers: Issuers,
    private readonly steps: SignInSteps,
    private readonly devices: DeviceSignIn,
    private readonly audit: IssuerAudit,
    private readonly clients: ClientRegistry,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { host, protocol } = new URL(config.BASE_URL);
    this.host = host;
    this.protocol = protocol.slice(0, -1);
  }

  /** The handler of this address; undefined when the address belongs to no issuer. */
  routeOf({
    url = '',
  }: IncomingMessage): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined {
    const end = url.indexOf('?');
    const [path, query] = end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end)];
    const metadata = metadataPath.exec(path);
    const own = pathOfIssuer.exec(path);
    const shortId = metadata?.[1] ?? own?.[1];
    const rest = metadata ? '/.well-known/oauth-authorization-server' : own?.[2];
    if (shortId === undefined || rest === undefined) return undefined;
    return (request, response) =>
      this.handle(request, response, shortId, rest, query).catch((error: unknown) =>
        this.respondError(request, response, error),
      );
  }

  private async handle(
    request: IncomingMessage,
    response: ServerResponse,
    shortId: string,
    rest: string,
    query: string,
  ): Promise<void> {
    const issuer = await this.issuers.find(shortId);
    if (!issuer) {
      if (actionPath.test(rest) && request.method !== 'OPTIONS')
        await this.audit.countIfSuspended(shortId, createIssuerRequest(request, routeTemplate(rest)));
      throw new AppError('unknown_organization');
    }
    // Node.js uses the first of several, and a proxy in front of us might have checked the last.
    if (actionPath.test(rest) && (request.headersDistinct.authorization ?? []).length > 1)
      return respondOAuthError(request, response, 400, {
        error: 'invalid_request',
        error_description: 'send one Authorization header',
      });
    // Links and cookies follow our own address, so forwarding headers of a client are overwritten.
    Object.assign(request.headers, {
      host: this.host,
      'x-forwarded-host': this.host,
      'x-forwarded-proto': this.protocol,
    });
    // A GET of these changes state, and HEAD must not (RFC 9110 §9.2.1).
    if (request.method === 'HEAD' && actionPath.test(rest)) throw new AppError('method_not_allowed');
    const step = signInPath.exec(rest);
    if (step) return this.handleSignInStep(request, response, issuer, step[1]!, step[2]);
    const device = devicePath.exec(rest);
    if (device) return this.devices.handle({ issuer, request, response, uid: device[1], query });
    if (request.method === 'POST' && (rest === routes.authorization || rest === routes.end_session))
      return redirectFormToQuery(request, response, issuerPath(shortId) + rest);
    request.url = rest + (rest === routes.authorization && query ? `?${withoutFragmentMode(query.slice(1))}` : query);
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

  private async handleSignInStep(
    request: IncomingMessage,
    response: ServerResponse,
    issuer: Issuer,
    uid: string,
    step: string | undefined,
  ): Promise<void> {
    const issuerRequest = createIssuerRequest(request, `/o/{shortId}/api/sign-in/{uid}${step ? `/${step}` : ''}`);
    const context: SignInContext = { issuer, uid, request, response, issuerRequest };
    const result = await this.runStep(context, step).catch(async (thrown: unknown) => {
      const { code, status } = toAppError(thrown);
      // No decision was made without the dependency, and audit itself may be the one that is unavailable.
      if (code !== 'unavailable')
        await this.audit.recordSignInError(issuer.organization.shortId, issuerRequest, code, status);
      throw thrown;
    });
    respondJson(response, issuerRequest.info.id, result);
  }

  private async runStep(context: SignInContext, step: string | undefined): Promise<object> {
    if (context.request.method !== (step ? 'POST' : 'GET')) throw new AppError('method_not_allowed');
    if (!step) return this.steps.show(context);
    requireSameOrigin(context.request, this.config.BASE_URL);
    const body = await readJsonObject(context.request, { maxBytes: maxAssertionBytes });
    if (step === 'complete') return this.steps.complete(context, body);
    return step === 'options' ? this.steps.options(context) : this.steps.cancel(context);
  }

  private respondError(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.code === 'internal' && unexpectedErrorLines.take())
      this.logger.error({ err: thrown }, 'A request to an issuer failed unexpectedly; the response is 500');
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
  const reason = databaseUnavailableReason(thrown);
  if (reason !== undefined) return unavailable(reason, 1, { dependency: 'postgres', cause: 'unreachable' });
  if (thrown instanceof errors.SessionNotFound) return new AppError('unknown_sign_in');
  if (thrown instanceof errors.OIDCProviderError && thrown.statusCode === 503)
    return unavailable(thrown.error_detail ?? '', 1, (thrown as { origin?: ErrorOrigin }).origin);
  return new AppError('internal');
}

function respondJson(response: ServerResponse, requestId: string, value: object): void {
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': requestId })
    .end(JSON.stringify(value));
}

/** An error in the form of RFC 6749 §5.2. */
function respondOAuthError(
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
