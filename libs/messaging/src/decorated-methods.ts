import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A method of a provider or controller that carries metadata of a decorator. */
export interface DecoratedMethod<Metadata> {
  metadata: Metadata;
  /** `Class.method`, for error messages. */
  label: string;
  invoke: (...args: unknown[]) => unknown;
}

/** Finds the decorated methods of an application, which must import Nest's DiscoveryModule. */
export function decoratedMethods<Metadata>(
  app: INestApplicationContext,
  metadataKey: symbol,
): DecoratedMethod<Metadata>[] {
  const discovery = app.get(DiscoveryService, { strict: false });
  const scanner = new MetadataScanner();
  // A provider that several modules declare as the same value is one instance.
  const instances = new Set(
    [...discovery.getProviders(), ...discovery.getControllers()].map(({ instance }) => instance as unknown),
  );
  return [...instances].flatMap((instance) => {
    if (typeof instance !== 'object' || instance === null) return [];
    const prototype = Object.getPrototypeOf(instance) as Record<string, unknown> | null;
    if (!prototype || prototype === Object.prototype) return [];
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = prototype[name];
      if (typeof method !== 'function') return [];
      const metadata = Reflect.getMetadata(metadataKey, method) as Metadata | undefined;
      if (metadata === undefined) return [];
      const label = `${instance.constructor.name}.${name}`;
      return [{ metadata, label, invoke: (...args: unknown[]) => Reflect.apply(method, instance, args) as unknown }];
    });
  });
}
