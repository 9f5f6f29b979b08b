import type { SavedCase, SavedResult } from './schema.ts';

const spread = (median: number, share = 0.1) => ({ median, min: median * (1 - share), max: median * (1 + share) });

export function savedCase(name: string, cpu: number, of: Partial<SavedCase> = {}): SavedCase {
  return {
    name,
    concurrency: 16,
    warmUp: { runs: 4, flat: true },
    failed: 0,
    rate: spread(1000),
    p50: spread(5),
    p99: spread(20),
    cpu: spread(cpu),
    processes: { gateway: spread(cpu * 0.6), audit: spread(cpu * 0.4), signals: spread(0.5) },
    ...of,
  };
}

export function savedResult(cases: SavedCase[], of: Partial<SavedResult> = {}, rounds = 5): SavedResult {
  return {
    schema: 1,
    commit: 'a'.repeat(40),
    machine: { id: '00c0ffee', cpu: 'Example CPU', cores: 2, memoryGb: 8 },
    versions: { node: '24.1.0', postgresql: '18.4', natsServer: '2.9.10' },
    requests: {
      date: '2026-11-23T10:00:00.000Z',
      loadBefore: 0.2,
      rounds,
      seconds: 2,
      subjects: 1000,
      cases,
      footprint: { gateway: { idleMb: 90, loadedMb: 120, idleCpuMs: 3 } },
    },
    ...of,
  };
}
