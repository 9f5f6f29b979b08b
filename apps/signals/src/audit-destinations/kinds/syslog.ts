import type { TLSSocket } from 'node:tls';
import type { AuditEvent, DestinationSettings } from '@holdfast/contracts';
import { DeliveryError, type Batch, type DestinationKind } from './kind.js';

type Settings = DestinationSettings<'syslog'>;

/**
 * RFC 5424 over TLS (RFC 5425), with octet counting. Syslog confirms nothing: a batch counts as delivered when the
 * receiver has read the connection to its end and closes it without an error.
 */
export const syslog: DestinationKind<Settings, undefined> = {
  maxBytes: 1_000_000,
  check: (settings, outbound) => outbound.checkTls(settings),
  async send(batch, { settings, outbound, baseUrl, timeoutMs }) {
    const { host, port, caCertificate: ca } = settings;
    const endsAt = performance.now() + timeoutMs;
    const socket = await outbound.connectTls({ host, port, ca, timeoutMs });
    await sendAndClose(socket, framesOf(batch, settings, new URL(baseUrl).hostname), endsAt - performance.now());
    return {};
  },
};

function sendAndClose(socket: TLSSocket, frames: Buffer, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new DeliveryError(why));
    };
    const timer = setTimeout(() => fail('the receiver did not close the connection in time.'), Math.max(1, timeoutMs));
    socket.on('error', () => fail('the connection to the receiver broke.'));
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // What a receiver sends has no meaning in syslog; unread, it would keep the connection open.
    socket.resume();
    socket.end(frames);
  });
}

/** Each message with its length in octets before it (RFC 6587 §3.4.1). */
function framesOf({ org, entries }: Batch, { facility }: Settings, hostname: string): Buffer {
  return Buffer.concat(
    entries.map(({ event, body }) => {
      const message = Buffer.from(`${headerOf(event, facility, hostname, org)} ${oneLine(JSON.stringify(body))}`);
      return Buffer.concat([Buffer.from(`${message.length} `), message]);
    }),
  );
}

/**
 * JSON escapes line feeds and other control characters up to U+001F. Those after it, and the line separators of
 * Unicode, end a line or begin a control sequence in some receivers and terminals (RFC 5424 §8.2).
 */
function oneLine(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The place in the log is `sequenceId` (RFC 5424 §7.3.1), which begins again after 2147483647. */
function headerOf(event: AuditEvent, facility: number, hostname: string, org: string): string {
  const severity = event.outcome.result === 'success' ? 6 : 4;
  const sequenceId = ((event.seq - 1) % 2_147_483_647) + 1;
  return (
    `<${facility * 8 + severity}>1 ${event.occurredAt} ${hostname} holdfast ${org} ${event.action.slice(0, 32)} ` +
    `[meta sequenceId="${sequenceId}"]`
  );
}
