/** The response modes of authorization requests. */
export const responseModes: readonly string[] = ['query', 'form_post'];

/**
 * Parameters of an authorization request whose response mode is supported, or else unknown to the library. It would
 * also put a code into the fragment, where it does not belong (RFC 9700 §4.3).
 */
export function withoutFragmentMode(parameters: string): string {
  // Parsed, since a name has many spellings: `response%5Fmode` is the same parameter.
  const params = new URLSearchParams(parameters);
  if (params.getAll('response_mode').every((mode) => responseModes.includes(mode))) return parameters;
  params.set('response_mode', 'unsupported');
  return String(params);
}
