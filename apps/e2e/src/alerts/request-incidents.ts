// Incidents that callers notice: requests that fail, wait or are rejected, and public events that come late.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '@holdfast/testing';
import { query } from '../stack/database.ts';
import { alert, type Incident } from './incident.ts';

let lockOwner: pg.Client;

export const lockedReadModel: Incident = {
  name: 'a transaction keeps the table of the read model locked, while customers are read and changed',
  async begin(world) {
    const { shop, stack } = world;
    lockOwner = new pg.Client({ connectionString: stack.launcher.databaseUrl });
    await lockOwner.connect();
    await lockOwner.query('BEGIN');
    await lockOwner.query('LOCK TABLE subjects.subject IN ACCESS EXCLUSIVE MODE');
    world.repeat(24, () => shop.list());
    world.repeat(6, async () => shop.withdraw((await shop.offer()).body.offerId));
  },
  async end(world) {
    await lockOwner.end();
    await world.stopTraffic();
  },
  alerts: [
    alert('DatabasePoolExhausted', { pod: 'subjects-1' }),
    alert('RequestsRejected', { component: 'gateway' }),
    alert('ReadModelLate', { read_model: 'subjects' }),
    alert('ConsumerLags', { stream: 'ISSUANCE', consumer: 'subjects' }),
    alert('AvailabilityBurnsFast'),
    alert('AvailabilityBurnsSlow'),
    alert('LatencyBurnsFast'),
    alert('LatencyBurnsSlow'),
  ],
  doctor: [/^subjects: PostgreSQL does not respond/],
  explain: /not readable yet|[Ss]ubjects|cannot be answered right now/,
  mayFollow: [alert('EventsFail', { component: 'subjects', stream: 'ISSUANCE' })],
};

/** Longer than what counts as late. */
const hangsMs = 6000;

export const hangingSignals: Incident = {
  name: 'signals hangs for some seconds, again and again',
  async begin({ stack, shop }) {
    for (let i = 0; i < 2; i += 1) {
      await stack.control('pause', 'signals');
      const { body } = await shop.offer();
      await sleep(hangsMs);
      await stack.control('resume', 'signals');
      await eventually(
        async () =>
          (await query(stack, 'SELECT FROM signals.event WHERE data::text LIKE $1', [`%${body.offerId}%`])).length > 0,
        'the event of the offer in the feed',
      );
    }
  },
  end: () => Promise.resolve(),
  alerts: [alert('FeedLag')],
  doctor: [],
  mayFollow: [alert('ServiceDown', { component: 'signals' })],
};
