import type { FastifyHelmetOptions } from '@fastify/helmet';
import type { Settings } from '../config.ts';

type Policy = NonNullable<FastifyHelmetOptions['contentSecurityPolicy']>;

/**
 * Pages load nothing from other origins, run no script and open in no frame. Forms go to the shop; sign-out redirects
 * on to the issuer, and browsers apply form-action to the redirect as well.
 */
export function contentSecurityPolicy({ issuer }: Settings): Policy {
  return { useDefaults: false, directives: directives(issuer) };
}

/**
 * For pages with the presence widget. The widget solves its challenge in a worker, whose script is a blob that imports
 * Holdfast's script.
 */
export function widgetSecurityPolicy({ issuer }: Settings): Policy {
  const holdfast = new URL(issuer).origin;
  return {
    useDefaults: false,
    directives: {
      ...directives(issuer),
      scriptSrc: [holdfast],
      connectSrc: [holdfast],
      workerSrc: ['blob:'],
      styleSrc: ["'self'", holdfast],
    },
  };
}

/** For pages with a script of the shop, which loads what is new. */
export function scriptSecurityPolicy({ issuer }: Settings): Policy {
  return { useDefaults: false, directives: { ...directives(issuer), scriptSrc: ["'self'"], connectSrc: ["'self'"] } };
}

function directives(issuer: string): Record<string, string[]> {
  return {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'self'", new URL(issuer).origin],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  };
}
