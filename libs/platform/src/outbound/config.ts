import { z } from 'zod';
import type { OutboundRules } from './destination.js';

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Settings of each service that calls URLs chosen by others. */
export const outboundConfigSchema = z.object({
  OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform(list)
    .refine(
      (origins) =>
        origins.every((origin) => URL.canParse(origin) && /^https?:/.test(origin) && new URL(origin).origin === origin),
      'must be origins such as http://localhost:8090, comma separated, without a path',
    )
    .describe(
      'Exact origins, comma separated, that may be called although they are not https on a public address; empty in ' +
        'production',
    ),
  OUTBOUND_ALLOW_LOOPBACK: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'Whether all loopback addresses of this machine may be called, by any scheme and port, as `npm start` sets it ' +
        'for developers; false in production',
    ),
  OUTBOUND_PORTS: z
    .string()
    .default('443')
    .transform((text) => list(text).map(Number))
    .refine(
      (ports) => ports.length > 0 && ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536),
      'must be port numbers, comma separated',
    )
    .describe('Ports that may be called on all other hosts, comma separated'),
});
export type OutboundConfig = z.output<typeof outboundConfigSchema>;

export function outboundRules({
  OUTBOUND_ALLOW: allow,
  OUTBOUND_ALLOW_LOOPBACK: loopback,
  OUTBOUND_PORTS: ports,
}: OutboundConfig): OutboundRules {
  return { allow, loopback, ports };
}
