// Started by child-process-registry.ts, outlives it if it must: waits for the end of its stdin, which is the end of the launcher.
import { endChildrenOf } from './child-process-registry.ts';

const [file, owner] = process.argv.slice(2);
if (!file || !owner) throw new Error('usage: orphan-reaper.ts FILE PID');
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.stdin.on('end', () => void endChildrenOf(file, Number(owner)).then(() => process.exit()));
process.stdin.resume();
