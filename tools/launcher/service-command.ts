// `npm run holdfast -- service …`: asks the running launcher.
import { resolve } from 'node:path';
import { say, warn } from '../infra/say.ts';
import { root } from '../setup/paths.mjs';
import { notRunning, runningStack } from '../setup/running-stack.mjs';
import { given } from '../setup/settings.mjs';
import type { ServiceStatus, StartOptions } from './control-server.ts';
import { knownSettings } from './known-settings.ts';
import { serviceSettings } from './service-env.ts';

const help = `Usage: npm run holdfast -- service list [--json]
       npm run holdfast -- service start|stop|kill|pause|resume|cut|mend NAME[-REPLICA]
       npm run holdfast -- service start NAME[-REPLICA] --build FOLDER

  list     what runs: name, replica, pid, state, where it says that it is ready
  stop     stops it in good order; it stays down until "start"
  start    with the settings of now: .env and secrets.json are read again, and variables that are set for this
           command win over both, as in: LOG_LEVEL=debug npm run holdfast -- service start subjects
  --build  runs the build of another clone, such as an older version, beside all others
  kill     SIGKILL; it is started again by itself
  pause    SIGSTOP, as a machine that hangs; "resume" lets it go on
  cut      drops all that it sends to NATS and PostgreSQL and all that they send, as a broken network; "mend" ends that.
           Only where "npm start" was told --severable
NAME is a service, postgres or nats.`;

const args = process.argv.slice(2);
const json = args.includes('--json');
const at = args.indexOf('--build');
const build = at < 0 ? undefined : args.splice(at, 2)[1];
const [action = 'list', target, ...rest] = args.filter((arg) => arg !== '--json');
const actions = ['list', 'start', 'stop', 'kill', 'pause', 'resume', 'cut', 'mend'];
if (
  !actions.includes(action) ||
  (at >= 0 && (!build || action !== 'start')) ||
  rest.length > 0 ||
  (action === 'list') !== (target === undefined)
) {
  warn(help);
  process.exit(action === '--help' ? 0 : 2);
}

const stack = runningStack();
if (!stack?.control) {
  warn(stack ? 'Holdfast is still starting; try again when it says that it is ready.' : notRunning);
  process.exit(1);
}
const builds = [stack.build ?? root, ...(build ? [resolve(build)] : [])];
const known = action === 'start' ? await knownSettings(builds) : new Set<string>();
const options: StartOptions = { settings: serviceSettings(given, known), ...(build && { build: resolve(build) }) };
const response = await fetch(`http://127.0.0.1:${stack.control.port}/${action}/${target ?? ''}`, {
  method: action === 'list' ? 'GET' : 'POST',
  headers: { authorization: `Bearer ${stack.control.token}`, 'content-type': 'application/json' },
  ...(action === 'start' && { body: JSON.stringify(options) }),
});
const body: unknown = await response.json();
if (!response.ok) {
  warn((body as { message: string }).message);
  process.exit(1);
}
say(json ? JSON.stringify(body, null, 2) : table(body as ServiceStatus[]));

function table(rows: ServiceStatus[]): string {
  const cells = [
    ['NAME', 'REPLICA', 'PID', 'STATE', 'READY URL'],
    ...rows.map((r) => [r.name, String(r.replica), String(r.pid ?? '-'), r.state, r.readyUrl ?? '-']),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const remarks = rows.flatMap((r) => r.remarks.map((remark) => `${r.name}-${r.replica}: ${remark}`));
  return [...lines, ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n');
}
