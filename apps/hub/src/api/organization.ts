/** The organization of this hub, from its address. */
export const shortId = location.pathname.split('/')[2]!;

/** Path of the hub; its screens are below it. */
export const hubPath = `/hub/${shortId}`;

/**
 * Where a sign-in begins that returns to the current screen (docs/people.md).
 * @param maxAgeSeconds an earlier sign-in does when it is at most this old
 */
export function signInAddress(maxAgeSeconds?: number): string {
  const { pathname, search } = location;
  const parameters = new URLSearchParams({ return_to: pathname + withoutOutcome(search) });
  if (maxAgeSeconds !== undefined) parameters.set('max_age', String(maxAgeSeconds));
  return `${hubPath}/sign-in?${parameters.toString()}`;
}

/** Without the outcome of an earlier sign-in, which the callback added. */
function withoutOutcome(search: string): string {
  const parameters = new URLSearchParams(search);
  if (!parameters.has('sign_in')) return search;
  parameters.delete('sign_in');
  const rest = parameters.toString();
  return rest === '' ? '' : `?${rest}`;
}
