// The process of command-line-host.ts: runs each command line that it is sent, several at a time, and replies with what
// it printed.
import { AsyncLocalStorage } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';

const { runCommand } = (await import(pathToFileURL(process.argv[2]!).href)) as {
  runCommand: (args: string[]) => Promise<number>;
};
const printed = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const store = printed.getStore();
    if (!store) throw new Error(`printed outside of a command: ${String(chunk)}`);
    store[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const written = rest.at(-1);
    if (typeof written === 'function') (written as () => void)();
    return true;
  };

process.on('message', ({ id, args }: { id: number; args: string[] }) => {
  const store = { stdout: '', stderr: '' };
  void printed
    .run(store, () => runCommand(args))
    .then((exitCode) => process.send?.({ id, result: { exitCode, ...store } }));
});
process.once('disconnect', () => process.exit());
