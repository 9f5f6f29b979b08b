import { randomBytes } from 'node:crypto';

/** Settings of audit destinations, for tests of signals: no address of this machine may be called. */
export const destinationSettings = {
  KEY_ENCRYPTION_KEY: randomBytes(32),
  OUTBOUND_ALLOW: [] as string[],
  OUTBOUND_ALLOW_LOOPBACK: false,
  OUTBOUND_PORTS: [443],
  AUDIT_DESTINATIONS_ALLOW: [] as string[],
};
