/** A route as the router has it, `METHOD /o/{shortId}/…`, and whether the guard asks for a token there. */
export interface KnownRoute {
  route: string;
  guarded: boolean;
}

/**
 * Every route that the router has is guarded, or public by the explicit list. Throws with all faults: the gateway must
 * not start with a door that nobody thought of.
 */
export function assertRoutes(registered: string[], declared: KnownRoute[], publicRoutes: string[]): void {
  const byRoute = new Map(declared.map((d) => [d.route, d.guarded]));
  const faults: string[] = [];
  for (const route of registered) {
    const guarded = byRoute.get(route);
    if (guarded === undefined) faults.push(`${route} is registered without a declaration`);
    else if (!guarded && !publicRoutes.includes(route))
      faults.push(`${route} asks for no token and is not on the public list`);
    else if (guarded && publicRoutes.includes(route)) faults.push(`${route} is guarded and on the public list`);
  }
  for (const route of publicRoutes)
    if (!registered.includes(route)) faults.push(`${route} is on the public list and does not exist`);
  if (faults.length > 0) throw new Error(`The gateway will not start:\n  ${faults.join('\n  ')}`);
}

/** What an endpoint says of its records. */
export interface KnownRecord {
  route: string;
  guarded: boolean;
  action?: string;
  unrecorded?: string;
}

/**
 * Every endpoint has an action or a reason why its calls leave no record, and what asks for a token always leaves one.
 */
export function assertRecorded(declared: readonly KnownRecord[]): void {
  const faults = declared.flatMap(({ route, guarded, action, unrecorded }) => {
    if (guarded && action === undefined)
      return [`${route} asks for a token and leaves no audit record: it needs an action`];
    if (action === undefined && !unrecorded)
      return [`${route} has neither an action nor a reason to leave no audit record`];
    return action !== undefined && unrecorded ? [`${route} has an action and a reason to leave no audit record`] : [];
  });
  if (faults.length > 0) throw new Error(`The gateway will not start:\n  ${faults.join('\n  ')}`);
}

/** Every public endpoint has a rate limit: one that somebody forgot would be the one that is used. */
export function assertLimited(declared: readonly { route: string; guarded: boolean; limit?: string }[]): void {
  const forgotten = declared.filter(({ guarded, limit }) => !guarded && limit === undefined);
  if (forgotten.length > 0)
    throw new Error(
      `The gateway will not start:\n  ${forgotten.map(({ route }) => `${route} asks for no token and declares no rate limit`).join('\n  ')}`,
    );
}
