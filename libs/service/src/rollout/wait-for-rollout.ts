// `node wait-for-rollout.js <all> <new> <seconds>`: waits while the first name has an address that the second lacks,
// that is, while replicas of another version of a service run; for so many seconds at most. In a cluster both are names
// of headless Services, so the wait needs DNS alone, and no rights.
import { lookup } from 'node:dns/promises';
import { waitForRollout } from './rollout.js';

const [all = '', latest = '', seconds = '300'] = process.argv.slice(2);

/**
 * No address: no replica runs, or the name does not exist yet. `lookup` applies the search domains of the pod, so that
 * the names of Services suffice; `resolve4` does not.
 */
async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

const outcome = await waitForRollout({ all, latest, timeoutMs: Number(seconds) * 1000 }, addressesOf);
process.stdout.write(`${outcome}\n`);
