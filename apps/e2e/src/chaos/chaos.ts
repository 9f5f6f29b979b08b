import { Client } from '../client.ts';
import { eventually, inParallel, sleep, times } from '../eventually.ts';
import type { House } from '../house.ts';
import { randomSequence } from '../random.ts';
import { PatientClient, type Attempt } from './patient-client.ts';

export interface ChaosOptions {
  /** How many offers are made while things are killed. */
  offers: number;
  kills: number;
  /** Repeats the order of the kills. */
  seed: number;
  say: (line: string) => void;
}

/** What the caller was told, to be held against what the house says afterwards. */
export interface Oracle {
  org: string;
  there: Set<string>;
  gone: Set<string>;
  attempts: Attempt[];
  faults: string[];
}

const targets = ['gateway-1', 'gateway-2', 'auth', 'issuance', 'subjects-1', 'subjects-2', 'audit', 'directory', 'nats'];

/** Makes offers, reads and erases while one process after the other is killed with SIGKILL. */
export async function chaos(house: House, { offers, kills, seed, say }: ChaosOptions): Promise<Oracle> {
  const org = await house.newOrganization();
  const shop = new Client(house, await house.newApp(org, 'shop', ['offers:write', 'issued:read', 'issued:manage']));
  await shop.token();
  const patient = new PatientClient(shop);
  const oracle: Oracle = { org, there: new Set(), gone: new Set(), attempts: patient.attempts, faults: patient.faults };
  const random = randomSequence(seed);
  let killing = true;

  const work = async (n: number): Promise<void> => {
    const { subject } = await patient.offer(`${org}-${n}`);
    if (oracle.there.has(subject)) oracle.faults.push(`two keys got the customer ${subject}`);
    oracle.there.add(subject);
    if (n % 5 === 0) await patient.read(subject);
    if (n % 10 !== 0) return;
    await patient.erase(subject);
    oracle.there.delete(subject);
    oracle.gone.add(subject);
  };
  const load = (async () => {
    let made = 0;
    // Spread over the time of the kills: a quick house would be done before the first.
    const worker = async () => {
      while (made < offers || killing) {
        await work((made += 1));
        if (killing) await sleep(made < offers ? 25 : 200);
      }
    };
    await Promise.all(times(12).map(worker));
    return made;
  })();

  for (const n of times(kills)) {
    // In the middle of the offers: after some of them, or after a while when everything stands still.
    const goal = patient.acknowledged + random(Math.ceil((1.6 * offers) / kills));
    const end = performance.now() + 4000 + random(4000);
    while (patient.acknowledged < goal && performance.now() < end) await sleep(20);
    const target = targets[random(targets.length)]!;
    say(`  kill ${n + 1} of ${kills}: ${target} (${patient.acknowledged} offers so far)`);
    await eventually(() => house.control('kill', target).then(() => true), 30_000, `a ${target} to kill`);
  }
  killing = false;
  const made = await load;
  say(`  ${made} offers acknowledged in ${patient.attempts.length} requests`);
  return oracle;
}

/** Everything that is wrong after the storm; none when all is as the caller was told. Waits for what may come late. */
export async function judge(house: House, oracle: Oracle, within = 90_000): Promise<string[]> {
  let wrong: string[] = [];
  const clients = await clientsOf(house, oracle.org);
  await eventually(async () => {
    wrong = [...(await judgeSubjects(clients.reader, oracle)), ...(await judgeAudit(clients.auditor, oracle))];
    return wrong.length === 0;
  }, within).catch((error: Error) => void (wrong.length === 0 && wrong.push(String(error))));
  return [...oracle.faults, ...wrong];
}

async function clientsOf(house: House, org: string): Promise<{ reader: Client; auditor: Client }> {
  const apps = await house.operator<{ name: string; clientId: string }[]>('app', 'list', org);
  const auditor = apps.find((a) => a.name === 'auditor') ?? (await house.newApp(org, 'auditor', ['audit:read'], 'service'));
  const shop = apps.find((a) => a.name === 'shop')!;
  // Its first secret is known to the client that made the offers only; a second one reads on.
  return { reader: await withNewSecret(house, org, shop), auditor: await withNewSecret(house, org, auditor) };
}

async function withNewSecret(house: House, org: string, { name, clientId }: { name: string; clientId: string }): Promise<Client> {
  const secrets = await house.operator<{ id: string }[]>('secret', 'list', clientId);
  if (secrets.length === 2) await house.operator('secret', 'revoke', clientId, secrets[1]!.id);
  const { clientSecret } = await house.operator<{ clientSecret: string }>('secret', 'create', clientId);
  const scopes = name === 'auditor' ? ['audit:read'] : ['offers:write', 'issued:read', 'issued:manage'];
  return new Client(house, { name, clientId, clientSecret, org, kind: 'web', redirectUris: [], scopes });
}

async function judgeSubjects(reader: Client, { there, gone }: Oracle): Promise<string[]> {
  const ids = (await reader.all()).map((s) => s.subject);
  const listed = new Set(ids);
  const wrong: string[] = [];
  if (listed.size !== ids.length) wrong.push(`${ids.length - listed.size} customers are listed more than once`);
  const missing = [...there].filter((id) => !listed.has(id));
  if (missing.length > 0) wrong.push(`${missing.length} acknowledged customers are missing`);
  const extra = ids.filter((id) => !there.has(id));
  if (extra.length > 0) wrong.push(`${extra.length} customers are listed that nobody was told of: ${extra.filter((id) => gone.has(id)).length} of them were erased`);
  await inParallel([...there].slice(0, 50), 8, async (id) => {
    const { status, body } = await reader.get(id);
    if (status !== 200 || body.credentials.length !== 1) wrong.push(`get of ${id} is ${status}`);
  });
  await inParallel([...gone], 8, async (id) => {
    const { status } = await reader.get(id);
    if (status !== 404) wrong.push(`get of the erased ${id} is ${status}`);
  });
  return wrong;
}

async function judgeAudit(auditor: Client, { there, attempts }: Oracle): Promise<string[]> {
  const log = await auditor.wholeLog();
  const wrong: string[] = [];
  const gaps = log.filter((e, i) => e.seq !== log[0]!.seq - i);
  if (gaps.length > 0 || log.at(-1)?.seq !== 1) wrong.push(`seq has gaps, the first at ${gaps[0]?.seq}, or does not begin with 1`);
  const records = new Map<string, number>();
  for (const { request } of log) records.set(request.id, (records.get(request.id) ?? 0) + 1);
  for (const { id, status, code } of attempts) {
    const found = records.get(id) ?? 0;
    // A request without an answer may never have arrived; one that says that audit is away or the bus broke may have left nothing to record.
    const least = status === undefined || status === 503 ? 0 : 1;
    if (found < least || found > 1) wrong.push(`the request ${id} (${status ?? 'no answer'} ${code ?? ''}) is recorded ${found} times: ${log.filter((e) => e.request.id === id).map((e) => `${e.seq} ${e.action} ${e.outcome.status} ${e.outcome.code ?? ''}`).join('; ')}`);
  }
  const created = new Set(log.filter((e) => e.action === 'offer.create' && e.outcome.result === 'success').flatMap((e) => e.targets.map((t) => t.id)));
  const silent = [...there].filter((id) => !created.has(id));
  if (silent.length > 0) wrong.push(`${silent.length} customers have no record of their making`);
  return wrong;
}
