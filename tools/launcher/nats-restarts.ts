import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { displayPath, warn } from '../infra/console.ts';
import { home } from '../setup/paths.mjs';
import { readiness } from './public-address.ts';
import { StoreWatch } from './store-watch.ts';
import type { Supervised } from './supervised.ts';

const intervalMs = 5000;

/**
 * Restarts the launcher's nats-server when it does not store events although it could (StoreWatch).
 *
 * @param producers the `/readyz` of the services that store events in it
 * @param isOurs whether a remark of them is about this server
 * @returns ends it
 */
export function restartWhenItStoresNothing(
  nats: Supervised,
  producers: () => string[],
  isOurs: (remark: string) => boolean,
): () => void {
  const watch = new StoreWatch();
  let [isChecking, hasEnded] = [false, false];
  const check = async (): Promise<void> => {
    if (nats.state !== 'ready') return;
    const remarks = (await Promise.all(producers().map((url) => readiness(url))))
      .flatMap((readyz) => readyz.remarks)
      .filter(isOurs);
    const { bavail, bsize } = await statfs(join(home, 'nats', 'jetstream'));
    const gaveUp = watch.gaveUp;
    const reason = watch.decide({ nowMs: performance.now(), remarks, freeBytes: bavail * bsize });
    if (watch.gaveUp && !gaveUp)
      warn(`Restarting nats-server did not help: it stores no events. Log: ${displayPath(nats.program.logFile)}`);
    if (reason === undefined || nats.state !== 'ready' || hasEnded) return;
    warn(`${reason}.`);
    await nats.stop();
    if (!hasEnded) nats.start();
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void check()
      .catch(() => undefined)
      .finally(() => (isChecking = false));
  }, intervalMs);
  return () => {
    hasEnded = true;
    clearInterval(timer);
  };
}
