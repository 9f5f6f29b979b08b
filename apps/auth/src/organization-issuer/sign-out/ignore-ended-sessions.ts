import type { Provider } from 'oidc-provider';

/**
 * A session cookie whose session has ended counts as none. The library would store an empty session in its place, at
 * each request that brings the old cookie back.
 */
export function ignoreEndedSessions({ Session }: Provider): void {
  const model = Session as unknown as { instantiate: (payload?: object) => object };
  const instantiate = model.instantiate.bind(Session);
  model.instantiate = (payload = {}) => instantiate(Object.keys(payload).length > 0 ? payload : undefined);
}
