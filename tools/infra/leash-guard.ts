// Started by leash.ts, outlives it if it must: waits for the end of its stdin, which is the end of the launcher.
import { endChildrenOf } from './leash.ts';

const [file, owner] = process.argv.slice(2);
if (!file || !owner) throw new Error('usage: leash-guard.ts FILE PID');
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.stdin.on('end', () => void endChildrenOf(file, Number(owner)).then(() => process.exit()));
process.stdin.resume();
