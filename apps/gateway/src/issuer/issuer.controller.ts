import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '@holdfast/platform';
import { routeTemplate } from '../edge/request-context.js';
import { Route } from '../endpoints/endpoint.js';
import * as endpoints from './issuer-endpoints.js';
import { AuthProxy } from './proxy/auth-proxy.js';

/**
 * The OpenID issuers of organizations, at auth. Only addresses of the one form that we know go there, letter by letter.
 */
@Controller()
export class IssuerProxyController {
  private readonly addresses = new Map<string, RegExp>(
    endpoints.issuerEndpoints.map(({ path }) => [path, formOf(path)]),
  );

  constructor(private readonly proxy: AuthProxy) {}

  @Route(endpoints.discovery)
  discovery(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.authorizationServer)
  authorizationServer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.authorize)
  authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.authorizePost)
  authorizePost(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.resume)
  resume(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.issuerToken)
  issuerToken(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.userinfo)
  userinfo(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.userinfoPost)
  userinfoPost(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.jwks)
  jwks(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.endSession)
  endSession(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.endSessionPost)
  endSessionPost(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.endSessionConfirm)
  endSessionConfirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.endSessionSuccess)
  endSessionSuccess(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.revocation)
  revocation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.tokenPreflight)
  tokenPreflight(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.userinfoPreflight)
  userinfoPreflight(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.revocationPreflight)
  revocationPreflight(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.showSignIn)
  showSignIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.signInOptions)
  signInOptions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.completeSignInStep)
  completeSignInStep(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Route(endpoints.cancelSignIn)
  cancelSignIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  private async pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // The router has decoded the parameters; what goes on is the path as it came, so it must be what we think it is.
    if (!this.addresses.get(routeTemplate(request))?.test(request.url.split('?')[0]!))
      throw new AppError('unknown_organization');
    return this.proxy.pass(request, reply);
  }
}

function formOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${escaped.replace('{shortId}', '[a-z0-9][a-z0-9-]{1,30}[a-z0-9]').replace('{uid}', '[A-Za-z0-9_-]{16,64}')}$`,
  );
}
