// Incidents between a committed change and those who must learn of it.
import { createOffer, databaseRole, deliveryMethods } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { query } from '../stack/database.ts';
import { connectAs } from '../stack/nats.ts';
import { alert, type Incident } from './incident.ts';
import { setLimits } from './stream-limits.ts';

/** Rows that match cannot be inserted into the feed of public events. */
const refuseFeed = (code: string, condition = 'true') => [
  `CREATE OR REPLACE FUNCTION signals.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     RAISE EXCEPTION 'refused' USING ERRCODE = '${code}';
   END $$`,
  `CREATE TRIGGER refuse BEFORE INSERT ON signals.event FOR EACH ROW WHEN (${condition})
     EXECUTE FUNCTION signals.refuse()`,
];
const acceptFeed = 'DROP FUNCTION signals.refuse() CASCADE';
const checkViolation = '23514';
const diskFull = '53100';

export const poisonedEvent: Incident = {
  name: 'signals cannot apply an event',
  async begin(world) {
    const other = await world.otherClient();
    await world.sql(...refuseFeed(checkViolation, `NEW.org = '${other.app.org}' AND NEW.type = 'offer.created'`));
    await other.offer();
  },
  async end(world) {
    await world.sql(acceptFeed);
    await world.stack.operator('events', 'retry');
  },
  alerts: [alert('EventsQuarantined', { stream: 'ISSUANCE', consumer: 'signals' })],
  doctor: [/^quarantined events: 1/],
  mayFollow: [
    alert('EventsFail', { stream: 'ISSUANCE', component: 'signals' }),
    alert('ConsumerLags', { stream: 'ISSUANCE', consumer: 'signals' }),
    alert('OutboxNotConfirmed', { component: 'issuance' }),
  ],
};

const signalsRole = databaseRole('signals');

export const unclaimedTokens: Incident = {
  name: 'signals may not claim security events',
  async begin(world) {
    const { stack, shop, failingUrl } = world;
    const { org } = shop.app;
    await world.sql(`REVOKE UPDATE ON signals.ssf_event FROM ${signalsRole}`);
    const receiver = await stack.newApp(org, 'SIEM', [], 'receiver');
    const delivery = { method: deliveryMethods.push, endpoint_url: failingUrl };
    const client = new Client(stack, receiver, ['ssf.manage']);
    await client.call('POST', `/o/${org}/ssf/streams`, { json: { delivery } });
    await world.sql(
      `INSERT INTO signals.ssf_event (stream, seq, part, created_at, org, jti, uri, key, claims, due_at)
       SELECT id, 1, 0, now() - interval '1 hour', org, 'late', 'urn:late', '\\x00', '{}', now() - interval '1 hour'
         FROM signals.ssf_stream WHERE org = '${org}'`,
    );
  },
  async end(world) {
    await world.sql(`GRANT UPDATE ON signals.ssf_event TO ${signalsRole}`);
    await world.sql('DELETE FROM signals.ssf_event');
    await world.sql('DELETE FROM signals.ssf_stream');
  },
  alerts: [alert('SecurityEventsBehind')],
  doctor: [/^signals: the job ssf_pushes has failed for/],
  mayFollow: [alert('JobFails', { component: 'signals', exported_job: 'ssf_pushes' })],
};

export const unclaimedMessages: Incident = {
  name: 'signals may not claim messages of webhooks',
  async begin(world) {
    const { stack, shop, failingUrl } = world;
    await world.sql(`REVOKE UPDATE ON signals.webhook_delivery FROM ${signalsRole}`);
    await stack.operator('webhook', 'create', shop.app.org, failingUrl, '--type', 'offer.created');
    await shop.offer();
    // As if the lease of the process that sent it had ended an hour ago.
    await eventually(async () => {
      await world.sql(`UPDATE signals.webhook_delivery SET leased = false, due_at = now() - interval '1 hour'`);
      return (await query(stack, 'SELECT FROM signals.webhook_delivery')).length > 0;
    });
  },
  async end(world) {
    await world.sql(`GRANT UPDATE ON signals.webhook_delivery TO ${signalsRole}`);
    await world.sql('DELETE FROM signals.webhook_endpoint');
  },
  alerts: [alert('WebhooksBehind')],
  doctor: [/^signals: the job webhook_deliveries has failed for/],
  mayFollow: [alert('JobFails', { component: 'signals', exported_job: 'webhook_deliveries' })],
};

export const closedStream: Incident = {
  name: 'JetStream stores no message in DIRECTORY',
  async begin(world) {
    await setLimits(world.stack, 'DIRECTORY', { max_msg_size: 16 });
    await world.otherClient();
  },
  end: (world) => setLimits(world.stack, 'DIRECTORY', { max_msg_size: -1 }),
  alerts: [
    alert('JetStreamDoesNotStore', { stream: 'DIRECTORY' }),
    alert('EventsNotStored', { component: 'directory' }),
  ],
  doctor: [/^directory: JetStream does not store in DIRECTORY/],
  mayFollow: [alert('OutboxNotConfirmed', { component: 'directory' })],
};

export const strangeMessage: Incident = {
  name: 'a NATS client sends a request without a reply subject of its own',
  async begin(world) {
    const { connection } = await connectAs(world.stack, 'gateway');
    connection.publish(createOffer.subject, '{}');
    await connection.drain();
  },
  end: () => Promise.resolve(),
  alerts: [alert('BusMessagesDropped', { component: 'issuance', subject: createOffer.subject, reason: 'sender' })],
  doctor: [/^issuance: 1 messages to .+ were dropped/],
};

export const fullFeed: Incident = {
  name: 'the disk of the feed is full',
  begin: (world) => world.sql(...refuseFeed(diskFull)),
  end: (world) => world.sql(acceptFeed),
  alerts: [
    alert('EventsFail', { stream: 'ISSUANCE', component: 'signals' }),
    alert('OutboxNotConfirmed', { component: 'issuance' }),
    alert('FeedEventsWait', { component: 'signals' }),
  ],
  doctor: [/^signals: .+ of ISSUANCE could not be applied, the oldest for .+ 53100/],
  mayFollow: [
    // Other incidents of the long form begin together with it, by changes of directory.
    alert('OutboxNotConfirmed', { component: 'directory' }),
    alert('EventsFail', { component: 'signals' }),
    alert('ConsumerLags', { consumer: 'signals' }),
    alert('FeedLag'),
  ],
};

export const smallStream: Incident = {
  name: 'a stream is too small for what a consumer has not received',
  begin: (world) => setLimits(world.stack, 'ISSUANCE', { max_bytes: 65_536 }),
  end: (world) => setLimits(world.stack, 'ISSUANCE', { max_bytes: 1_073_741_824 }),
  alerts: [alert('StreamNearlyFull', { stream: 'ISSUANCE' })],
  doctor: [/^stream ISSUANCE: .+ JetStream discards the oldest/],
};

export const givenUpLogout: Incident = {
  name: 'an app does not accept the notice of a revoked session',
  async begin({ shop, browsers }) {
    const { body } = await shop.offer();
    await browsers.signIn(body.subject, await browsers.claim(body));
    await shop.manage('revoke', body.credentialId, 'alerts');
  },
  end: () => Promise.resolve(),
  alerts: [alert('LogoutGivenUp', { component: 'auth' })],
  doctor: [/^auth: .+ notices of a logout were given up/],
};
