// Started by child-process-registry.ts. Its stdin ends when the launcher ends for any reason, SIGKILL included. Then it
// ends the launcher's child processes.
import { stopChildrenOf } from './child-process-registry.ts';

const [file, owner] = process.argv.slice(2);
if (!file || !owner) throw new Error('usage: orphan-reaper.ts FILE PID');
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.stdin.on('end', () => void stopChildrenOf(file, Number(owner)).then(() => process.exit()));
process.stdin.resume();
