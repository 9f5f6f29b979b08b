import { Controller } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signInUidPattern } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { routeTemplate } from '../edge/request-context.js';
import { authorizationEndpoints } from './authorization.endpoints.js';
import { deviceEndpoints } from './device.endpoints.js';
import { ForwardingController, Forwards } from './forwarding.js';
import { metadataEndpoints } from './metadata.endpoints.js';
import { AuthProxy } from './proxy/auth-proxy.js';
import { pushedRequestEndpoints } from './pushed-request.endpoints.js';
import { signInPageEndpoints } from './sign-in-page.endpoints.js';
import { tokenEndpoints } from './token.endpoints.js';

const issuerEndpoints = [
  ...metadataEndpoints,
  ...authorizationEndpoints,
  ...tokenEndpoints,
  ...pushedRequestEndpoints,
  ...deviceEndpoints,
  ...signInPageEndpoints,
];

/** Forwards requests to the OpenID issuers of organizations. Only paths of exactly the declared forms are forwarded. */
@Controller()
@Forwards(issuerEndpoints)
export class IssuerController extends ForwardingController {
  private readonly pathForms = new Map<string, RegExp>(issuerEndpoints.map(({ path }) => [path, formOf(path)]));

  constructor(proxy: AuthProxy) {
    super(proxy);
  }

  override forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // The router matches decoded parameters, but auth gets the path as it was sent, so its encoded form must match too.
    if (!this.pathForms.get(routeTemplate(request))?.test(request.url.split('?')[0]!))
      throw new AppError('unknown_organization');
    return super.forward(request, reply);
  }
}

function formOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const uid = signInUidPattern.source.slice(1, -1);
  return new RegExp(`^${escaped.replace('{shortId}', '[a-z0-9][a-z0-9-]{1,30}[a-z0-9]').replace('{uid}', uid)}$`);
}
