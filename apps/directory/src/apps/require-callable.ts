import { OutboundError, unprocessable, type Outbound } from '@holdfast/platform';

/**
 * Refuses an address that the house would never call, so that whoever registers it hears so now (ZITADEL's
 * CVE-2026-27945: a target on localhost). What its name resolves to is looked at when it is called, each time.
 */
export function requireCallable(outbound: Outbound, backchannelLogoutUri: string | null | undefined): void {
  if (backchannelLogoutUri === undefined || backchannelLogoutUri === null) return;
  try {
    outbound.check(backchannelLogoutUri);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw unprocessable([
      {
        pointer: '#/backchannelLogoutUri',
        detail: `${error.message} For a test or an address of your own, name its origin in OUTBOUND_ALLOW of directory and auth.`,
      },
    ]);
  }
}
