import { Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route, type Endpoint } from '../endpoints/endpoint.js';
import type { AuthProxy } from './proxy/auth-proxy.js';

/** A controller whose requests auth answers. Which ones, the table of `@Forwards` declares. */
export abstract class ForwardingController {
  constructor(private readonly proxy: AuthProxy) {}

  forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.proxy.pass(request, reply);
  }
}

/** Adds a method for each endpoint of the table, named by its id, which forwards the request to auth. */
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
