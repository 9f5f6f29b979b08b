import {
  addressedSubject,
  consumedBy,
  contracts,
  inboxPrefix,
  natsUsers,
  probeStream,
  probeSubject,
  projectionAcknowledgementSubject,
  replicaAnnouncementSubject,
  revocationFeedSubject,
  serviceNames,
  streams,
  type BusUser,
  type ServiceName,
} from '@holdfast/contracts';

interface Permissions {
  publish: string[];
  subscribe: string[];
  /** May answer what it is asked, on the inbox of whoever asked. */
  responds: boolean;
}

/**
 * What a user of the bus may do: ask the contracts that name it as caller, answer its own, publish its own events,
 * pull and ack its own durables. Nobody but the start job may touch the JetStream API beyond that.
 */
export function busPermissions(user: BusUser): Permissions {
  const asked = contracts.filter((c) => c.callers.includes(user));
  // Each at whichever replica the queue group chooses, and at one that the caller chooses.
  const publish = asked.flatMap((c) => [c.subject, addressedSubject(c.subject, '*')]);
  const subscribe = [`${inboxPrefix(user)}.>`, ...new Set(asked.map((c) => replicaAnnouncementSubject(c.service)))];
  if (user === 'deploy') {
    const names = Object.values(streams).map((s) => s.name);
    publish.push(
      '$JS.API.INFO',
      ...[...names, probeStream.name].flatMap((n) =>
        ['CREATE', 'UPDATE', 'INFO'].map((verb) => `$JS.API.STREAM.${verb}.${n}`),
      ),
    );
    publish.push(
      ...names.flatMap((n) => [
        `$JS.API.CONSUMER.DURABLE.CREATE.${n}.*`,
        `$JS.API.CONSUMER.CREATE.${n}.>`,
        `$JS.API.CONSUMER.INFO.${n}.*`,
      ]),
    );
  }
  if (!isService(user)) return { publish, subscribe, responds: false };

  // In the queue group of the service only, so that a request is answered once.
  const answers = contracts.some((c) => c.service === user);
  if (answers) {
    subscribe.push(`rpc.${user}.> ${user}`);
    publish.push(replicaAnnouncementSubject(user));
  }
  for (const s of Object.values(streams).filter((s) => s.producer === user)) {
    publish.push(
      ...s.subjects,
      probeSubject(user),
      `$JS.API.STREAM.INFO.${s.name}`,
      `$JS.API.CONSUMER.INFO.${s.name}.*`,
    );
    subscribe.push(`applied.${user}.*`);
  }
  for (const s of consumedBy(user)) {
    publish.push(`$JS.API.CONSUMER.INFO.${s.name}.${user}`, `$JS.API.CONSUMER.MSG.NEXT.${s.name}.${user}`);
    publish.push(
      `$JS.ACK.${s.name}.${user}.>`,
      ...(s.awaited.includes(user) ? [projectionAcknowledgementSubject(user, s.producer)] : []),
    );
  }
  if (user === 'directory') publish.push(revocationFeedSubject);
  if (user === 'gateway' || user === 'auth') subscribe.push(revocationFeedSubject);
  return { publish, subscribe, responds: answers };
}

function isService(user: BusUser): user is ServiceName {
  return (serviceNames as string[]).includes(user);
}

export interface NatsConfigOptions {
  /** Public NKey (`U…`) of each user. */
  publicKeys: Record<BusUser, string>;
  host: string;
  port: number;
  /** Folder of JetStream's files. */
  storeDir: string;
  /** How much JetStream may store: 4 GiB unless told otherwise, of which the streams reserve what they may hold. */
  maxFileBytes?: number;
}

/** The whole nats.conf: users by NKey, so that it holds no secret, and each one's permissions. */
export function natsConfig({
  publicKeys,
  host,
  port,
  storeDir,
  maxFileBytes = 4_294_967_296,
}: NatsConfigOptions): string {
  const users = natsUsers.map((user) => {
    const { publish, subscribe, responds } = busPermissions(user);
    return {
      nkey: publicKeys[user],
      permissions: {
        publish: { allow: publish },
        subscribe: { allow: subscribe },
        ...(responds ? { allow_responses: { max: 1, expires: '1m' } } : {}),
      },
    };
  });
  // A JSON object is valid nats.conf.
  const config = {
    host,
    port,
    max_payload: 1_048_576,
    // A paused or vanished client is evicted within nine seconds: its queue groups and pulls would go on choosing it.
    ping_interval: '3s',
    ping_max: 2,
    write_deadline: '10s',
    jetstream: { store_dir: storeDir, max_mem: 67_108_864, max_file: maxFileBytes },
    // In seconds. A process that begins beside many others takes longer to sign the server's challenge than the 2 that
    // are the default.
    authorization: { timeout: 10, users },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
