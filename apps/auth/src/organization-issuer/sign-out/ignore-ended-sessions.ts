import type { Provider } from 'oidc-provider';

/**
 * Treats a cookie of an ended session like none. The library would store an empty session for each request with such a
 * cookie.
 */
export function ignoreEndedSessions({ Session }: Provider): void {
  const model = Session as unknown as { instantiate: (payload?: object) => object };
  const instantiate = model.instantiate.bind(Session);
  model.instantiate = (payload = {}) => instantiate(Object.keys(payload).length > 0 ? payload : undefined);
}
