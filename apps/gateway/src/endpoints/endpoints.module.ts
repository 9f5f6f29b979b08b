import { Global, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { type Endpoint } from '@holdfast/contracts/http';
import { endpointsOf } from './discover.js';
import { RouteTable } from './route-table.js';
import { ENDPOINTS } from './route.js';

/** All endpoints, found through Nest's metadata, and the routes that the router registered. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: ENDPOINTS, inject: [DiscoveryService], useFactory: discover }, RouteTable],
  exports: [ENDPOINTS, RouteTable],
})
export class EndpointsModule {}

function discover(discovery: DiscoveryService): Endpoint[] {
  const controllers = discovery.getControllers().flatMap(({ metatype }) => (metatype as Type | null) ?? []);
  return endpointsOf(controllers);
}
