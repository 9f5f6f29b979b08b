import { coversHost, relatedOriginsPath, relatedOriginsSchema } from '@holdfast/contracts';
import { OutboundError, unprocessable, type Outbound } from '@holdfast/platform';
import { isPublicSuffix } from './public-suffix.js';

/** A command has five seconds, and waits for audit as well. */
const relatedTimeoutMs = 3000;

/**
 * The reason why no page of this host can use the name as RP ID. Undefined when it can, perhaps with the consent of the
 * domain (related origins).
 */
export function unusableRpId(rpId: string, hostname: string): string | undefined {
  if (/^[0-9.]+$|:/.test(hostname))
    return `cannot be used: browsers create no passkeys for an IP address, and BASE_URL has ${hostname}`;
  if (rpId === hostname || !isPublicSuffix(rpId)) return undefined;
  return (
    'is a public suffix, below which anybody can register a name: browsers refuse it. ' +
    'Use a domain of your own, such as one with one more label'
  );
}

/** Whether a document of related origins lists this origin (WebAuthn Level 3 §5.11.1). */
export function listsOrigin(document: string, origin: string): boolean {
  try {
    return relatedOriginsSchema
      .parse(JSON.parse(document))
      .origins.some((text) => URL.canParse(text) && new URL(text).origin === origin);
  } catch {
    return false;
  }
}

/**
 * Refuses an RP ID that browsers would refuse on the claim and sign-in pages, so that the operator sees the mistake
 * before customers do. A domain that does not cover the host of the pages must list their origin.
 * @throws AppError invalid_request
 */
export async function requireUsableRpId(rpId: string, baseUrl: string, outbound: Outbound): Promise<void> {
  const { hostname, origin } = new URL(baseUrl);
  const invalidRpId = (detail: string) => unprocessable([{ pointer: '#/rpId', detail }]);
  const unusable = unusableRpId(rpId, hostname);
  if (unusable !== undefined) throw invalidRpId(unusable);
  if (coversHost(rpId, hostname)) return;
  const address = `https://${rpId}${relatedOriginsPath}`;
  const why =
    `does not cover ${hostname}, the host of the claim and sign-in pages. ` +
    `Browsers use it there only if ${address} lists ${origin}`;
  try {
    const { headers, body } = await outbound.request(address, { method: 'GET', timeoutMs: relatedTimeoutMs });
    // Browsers check the media type as well.
    if (!/^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? '')))
      throw invalidRpId(`${why}, and the document there is not application/json`);
    if (!listsOrigin(body.toString('utf8'), origin)) throw invalidRpId(`${why}, and the document there does not`);
  } catch (error) {
    if (error instanceof OutboundError)
      throw invalidRpId(`${why}, and that address could not be read: ${error.message}`);
    throw error;
  }
}
