import { Catch, HttpException, Inject, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue } from '@holdfast/contracts';
import { UncertainError } from '@holdfast/messaging';
import { AppError, LogBudget } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { RouteTable } from '../../endpoints/route-table.js';
import { recordWithTargets } from '../recording.js';
import { isNavigation, organizationInPath, sendErrorPage } from './error-page.js';
import { OrganizationsOfErrorPages } from './organizations-of-error-pages.js';
import { renderError } from './render-error.js';

/** Bounds the stack traces of unexpected errors; each failed request also has its access line. */
const stackTraces = new LogBudget(10);

/** The one place that turns an error into a response. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('gateway');

  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    private readonly routes: RouteTable,
    private readonly organizations: OrganizationsOfErrorPages,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void | Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = this.toAppError(thrown, request, reply);
    const { code, detail, origin } = error;
    Object.assign(request.requestContext, { code, ...(detail !== undefined && { detail }), ...(origin && { origin }) });
    if (error.targets) recordWithTargets(request, error.targets);
    request.requestContext.uncertain = thrown instanceof UncertainError;
    const { BASE_URL } = this.config;
    const { headers, body } = renderError(error, request.requestContext, BASE_URL);
    void reply.code(error.status).headers(headers);
    if (isNavigation(request)) return this.sendPage(request, reply, error);
    void reply.send(body);
  }

  private async sendPage(request: FastifyRequest, reply: FastifyReply, error: AppError): Promise<void> {
    const shortId = error.code === 'unknown_organization' ? undefined : organizationInPath(request);
    // What failed or is limited already gets no further request.
    const mayRequest = error.code !== 'unavailable' && error.code !== 'rate_limited' && error.code !== 'internal';
    const organization = shortId === undefined ? undefined : await this.organizations.forErrorPage(shortId, mayRequest);
    sendErrorPage(request, reply, error, organization);
  }

  private toAppError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): AppError {
    if (thrown instanceof UncertainError && !isSafe(request)) return withAdvice(thrown, request);
    if (thrown instanceof AppError) return thrown;
    // Fastify and Nest reject some requests before a controller: unknown paths, malformed URLs.
    const status =
      thrown instanceof HttpException
        ? thrown.getStatus()
        : Number((thrown as { statusCode?: number } | undefined)?.statusCode ?? 500);
    // Fastify finds no route for a method that it does not know either, such as QUERY, and calls that 400.
    if (status === 404 || (status < 500 && request.routeOptions.url === undefined)) {
      const methods = this.routes.methodsOf(request.url);
      if (methods.length === 0) return new AppError('not_found');
      void reply.header('allow', methods.join(', '));
      return new AppError('method_not_allowed');
    }
    if (status === 413) return new AppError('payload_too_large');
    if (status === 415) return new AppError('unsupported_media_type');
    if (status >= 400 && status < 500)
      return new AppError('invalid_request', 'The request could not be read.', { status: 400 });
    if (stackTraces.take())
      this.logger.error(thrown instanceof Error ? thrown : new Error(String(thrown)), request.requestContext.requestId);
    return new AppError('internal', undefined, { origin: { dependency: 'gateway', cause: 'internal' } });
  }
}

function isSafe({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The change may have been made and its response lost: says what the caller can do without making it twice. */
function withAdvice(error: UncertainError, { headers }: FastifyRequest): AppError {
  const advice =
    headers['idempotency-key'] === undefined
      ? 'It is not known whether the change was made: read what it concerns before you repeat it. With an ' +
        'Idempotency-Key a repeat is safe.'
      : 'It is not known whether the change was made. Repeat the request unchanged, with the same Idempotency-Key: ' +
        'if it was made, the repeat returns its response and changes nothing again; otherwise the repeat makes it.';
  const what = error.detail ?? errorCatalogue[error.code].title;
  return AppError.fromWire({ ...error.toWire(), detail: `${sentence(what)} ${advice}` });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
