import { decodeJwt } from 'jose';

/** The response modes of authorization requests. */
export const responseModes: readonly string[] = ['query', 'form_post'];

/**
 * Parameters of an authorization request whose response mode is supported, or else unknown to the library. It would
 * also put a code into the fragment, where it does not belong (RFC 9700 §4.3).
 */
export function withoutFragmentMode(parameters: string): string {
  // Parsed, since a name has many spellings: `response%5Fmode` is the same parameter.
  const params = new URLSearchParams(parameters);
  const given = params.getAll('response_mode');
  const mode = given.length === 0 ? modeInObject(params.get('request')) : undefined;
  if (mode === undefined && given.every((one) => responseModes.includes(one))) return parameters;
  params.set('response_mode', mode ?? 'unsupported');
  return String(params);
}

/**
 * The response mode in a request object (OpenID Connect Core §6.1). Request objects are refused, and the refusal goes
 * where a client that puts its parameters into the object expects it. Anybody could send the mode as a parameter, so
 * that the signature does not matter.
 */
function modeInObject(object: string | null): string | undefined {
  if (object === null) return undefined;
  try {
    return decodeJwt(object).response_mode === 'form_post' ? 'form_post' : undefined;
  } catch {
    return undefined;
  }
}
