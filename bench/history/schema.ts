import { z } from 'zod';

const spread = z
  .strictObject({ median: z.number(), min: z.number(), max: z.number() })
  .describe('Of the rounds: their median, smallest and largest value');

const conditions = {
  date: z.iso.datetime().describe('When the measurement ended'),
  loadBefore: z.number().describe('Load average of one minute before the first measurement'),
};

const requestCase = z.strictObject({
  name: z.string(),
  concurrency: z.int().positive(),
  warmUp: z.strictObject({
    runs: z.int().positive().describe('Runs at the highest concurrency before the first round'),
    flat: z.boolean().describe('Whether CPU per request differed by at most 5 % between the last three of them'),
  }),
  failed: z.int().nonnegative().describe('Unexpected responses; the case is worth nothing unless it is 0'),
  rate: spread.describe('Requests per second'),
  p50: spread.describe('In ms'),
  p99: spread.describe('In ms'),
  cpu: spread.describe('CPU µs per request, over all processes of the stack'),
  processes: z.record(z.string(), spread).describe('CPU µs per request of each process'),
});

const footprint = z.strictObject({
  idleMb: z.number().describe('PSS at rest, in MiB'),
  loadedMb: z.number().describe('PSS after the rounds, in MiB'),
  idleCpuMs: z.number().describe('CPU ms per second at rest'),
  startMs: z.number().optional().describe('Until ready, alone; services only'),
  startCpuMs: z.number().optional().describe('CPU time until ready, in ms; services only'),
});

const requests = z.strictObject({
  ...conditions,
  rounds: z.int().positive(),
  seconds: z.number().positive().describe('Length of one measurement'),
  subjects: z.int().positive().describe('Customers of the app whose lists are read'),
  cases: z.array(requestCase),
  footprint: z.record(z.string(), footprint).describe('By process'),
});

const growthLot = z.strictObject({
  ...conditions,
  points: z.array(
    z.strictObject({
      size: z.int().positive(),
      figures: z.record(z.string(), z.number()).describe('By name and unit, such as `offer CPU µs`'),
    }),
  ),
});

/** A file of bench/results: what was measured of one commit on one machine. */
export const savedResultSchema = z.strictObject({
  schema: z.literal(1),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  machine: z.strictObject({
    id: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .describe('Hash of the other members'),
    cpu: z.string().describe('Model'),
    cores: z.int().positive().describe('Of the machine; the benchmark uses two of them'),
    memoryGb: z.int().positive(),
  }),
  versions: z.strictObject({ node: z.string(), postgresql: z.string(), natsServer: z.string() }),
  requests: requests.optional(),
  growth: z.record(z.string(), growthLot).optional().describe('By lot'),
});

export type SavedResult = z.output<typeof savedResultSchema>;
export type SavedCase = z.output<typeof requestCase>;
export type SavedRequests = z.output<typeof requests>;
export type SavedLot = z.output<typeof growthLot>;
