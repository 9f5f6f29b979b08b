import type { Endpoint } from '@holdfast/contracts/http';
import { GatewayModule } from './app.module.js';
import { controllersOf, endpointsOf } from './endpoints/discover.js';

/** Every endpoint of the gateway, for tools and tests that do not start it. */
export function declaredEndpoints(): Endpoint[] {
  return endpointsOf(controllersOf(GatewayModule));
}
