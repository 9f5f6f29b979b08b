import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Endpoint } from '@holdfast/contracts/http';

/** Metadata key of the controller method that serves an endpoint. */
export const ENDPOINT = Symbol('endpoint');
/** Injection token of all endpoints, found through the metadata of the controllers (endpoints.module.ts). */
export const ENDPOINTS = Symbol('endpoints');

/** Routes an endpoint to the controller method. The status code is that of its one successful response. */
export function Route(declared: Endpoint): MethodDecorator {
  return applyDecorators(
    RequestMapping({ method: RequestMethod[declared.method], path: nestPath(declared.path) }),
    HttpCode(Number(Object.keys(declared.responses)[0])),
    SetMetadata(ENDPOINT, declared),
  );
}

/** OpenAPI's `{shortId}` in the router's syntax: `:shortId`. */
export function nestPath(path: string): string {
  return path.replace(/\{([A-Za-z]+)\}/g, ':$1');
}

/** The router's `:shortId` as in OpenAPI: `{shortId}`. */
export function templateOf(routerPath: string): string {
  return routerPath.replace(/:([A-Za-z]+)/g, '{$1}');
}
