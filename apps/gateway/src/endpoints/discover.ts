import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { type Endpoint } from '@holdfast/contracts/http';
import { ENDPOINT } from './route.js';

const scanner = new MetadataScanner();

/** The endpoints that these controllers serve, in the order of their methods. */
export function endpointsOf(controllers: readonly Type[]): Endpoint[] {
  return controllers.flatMap(({ prototype }) =>
    scanner.getAllMethodNames(prototype as object).flatMap((name) => {
      const method = (prototype as Record<string, object>)[name]!;
      return (Reflect.getMetadata(ENDPOINT, method) as Endpoint | undefined) ?? [];
    }),
  );
}

/**
 * Controllers of a module and of what it imports, read from the decorators alone: tools and tests need the endpoints
 * without starting an application. The running gateway uses Nest's discovery (endpoints.module.ts).
 */
export function controllersOf(module: Type, visited = new Set<Type>()): Type[] {
  if (visited.has(module)) return [];
  visited.add(module);
  const metadata = (key: string) => (Reflect.getMetadata(key, module) ?? []) as Type[];
  return [
    ...metadata(MODULE_METADATA.CONTROLLERS),
    ...metadata(MODULE_METADATA.IMPORTS).flatMap((imported) => controllersOf(imported, visited)),
  ];
}
