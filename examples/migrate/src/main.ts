// Makes an offer for each account of a file that has none yet: `node src/main.ts accounts.csv offers.ndjson`.
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { holdfastClient, offerInBulk } from '@holdfast/sdk';
import { config } from './config.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: 'string', default: '16' },
    // Thirty days: a customer who reads the message in three weeks can still claim it.
    'expires-in': { type: 'string', default: '2592000' },
    type: { type: 'string' },
    'return-url': { type: 'string' },
  },
});
const [accountsFile, offersFile] = positionals;
if (!accountsFile || !offersFile) {
  process.stderr.write('Usage: node src/main.ts ACCOUNTS OFFERS. ACCOUNTS has the id of an account in each line.\n');
  process.exit(2);
}

const holdfast = holdfastClient({ ...config, maxRepeats: 10 });
const offer = {
  offerExpiresIn: Number(values['expires-in']),
  ...(values.type !== undefined && { credentialType: values.type }),
  ...(values['return-url'] !== undefined && { returnUrl: values['return-url'] }),
};

const done = await saved();
const offers = await open(offersFile, 'a');
const startedAtMs = performance.now();
const progress = setInterval(() => process.stdout.write(`${done.size} offers\n`), 10_000);
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
try {
  const count = await offerInBulk(holdfast, accounts(), {
    concurrency: Number(values.concurrency),
    signal: stopping.signal,
    // One line for each: a database would have an UPDATE here.
    async save({ id }, { subject, claimUrl, expiresAt }) {
      await offers.appendFile(`${JSON.stringify({ id, subject, claimUrl, expiresAt })}\n`);
      done.add(id);
    },
  });
  process.stdout.write(`Made ${count} offers in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s.\n`);
} finally {
  clearInterval(progress);
  await offers.sync();
  await offers.close();
}

async function* accounts() {
  for await (const line of createInterface({ input: createReadStream(accountsFile!) })) {
    const id = line.trim();
    if (id && !done.has(id)) yield { id, offer };
  }
}

/** The accounts that have an offer. Half a line, which a process that was killed may have left, is made again. */
async function saved(): Promise<Set<string>> {
  const text = existsSync(offersFile!) ? await readFile(offersFile!, 'utf8') : '';
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  if (complete !== text) await truncate(offersFile!, Buffer.byteLength(complete));
  return new Set(complete.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as { id: string }).id] : [])));
}
