import { Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Endpoint } from '@holdfast/contracts/http';
import { Route } from '../endpoints/route.js';
import type { AuthProxy } from './proxy/auth-proxy.js';

/** A controller that forwards requests to auth. `@Forwards` declares its endpoints. */
export abstract class ForwardingController {
  constructor(protected readonly proxy: AuthProxy) {}

  forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.proxy.forward(request, reply);
  }
}

/**
 * Adds one method per endpoint to the controller, with the endpoint's id as its name. It forwards the request to auth.
 */
export function Forwards(endpoints: readonly Endpoint[]) {
  return ({ prototype }: { prototype: ForwardingController }): void => {
    for (const declared of endpoints) {
      const value = function (this: ForwardingController, request: FastifyRequest, reply: FastifyReply) {
        return this.forward(request, reply);
      };
      const descriptor: PropertyDescriptor = { value, configurable: true, writable: true };
      Object.defineProperty(prototype, declared.id, descriptor);
      Req()(prototype, declared.id, 0);
      Res()(prototype, declared.id, 1);
      Route(declared)(prototype, declared.id, descriptor);
    }
  };
}
