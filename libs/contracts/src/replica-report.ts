import { z } from 'zod';
import { query } from './contract.js';
import { instant } from './fields.js';
import { serviceNames, type ServiceName } from './services.js';

/** Characters of metrics in a reply. NATS accepts messages of a megabyte. */
export const maxMetricsLength = 700_000;
const maxProblems = 50;
const maxProblemLength = 1000;

const replySchema = z.strictObject({
  version: z.string().describe('Version of the product'),
  build: z.string().describe('Digest of the program, equal for equal builds'),
  node: z.string().describe('Version of Node.js'),
  startedAt: instant.describe('When the process started'),
  ready: z.boolean().describe('Whether it should get requests'),
  healthy: z.boolean().describe('Whether it is ready and every server that it needs responds'),
  problems: z
    .array(z.string().max(maxProblemLength))
    .max(maxProblems)
    .optional()
    .describe('What needs attention, as /readyz shows it; versions before this one do not report it'),
  settings: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('Numbers, switches and listed values; of every other setting only whether it is set'),
  metrics: z.string().max(maxMetricsLength).describe('What /metrics shows'),
});

/** Of any number of problems, of any length, those that fit into a reply. */
export function reportableProblems(problems: readonly string[]): string[] {
  return problems.slice(0, maxProblems).map((problem) => problem.slice(0, maxProblemLength));
}

/**
 * For `holdfast doctor` and `holdfast support-bundle`, by service: what one replica is and how it does. The caller
 * addresses the replica.
 */
export const replicaReports = Object.fromEntries(
  serviceNames.map((service) => [
    service,
    query({
      service,
      name: 'report-replica',
      callers: ['operator'],
      request: z.strictObject({}),
      reply: replySchema,
      timeoutMs: 6000,
    }),
  ]),
) as Record<ServiceName, ReturnType<typeof query<z.ZodObject<Record<never, never>>, typeof replySchema>>>;
