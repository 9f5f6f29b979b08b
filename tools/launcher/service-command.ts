// `npm run holdfast -- service …`: calls the control server of the running launcher.
import { resolve } from 'node:path';
import { print, warn } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import { notRunning, runningStack, stillStarting } from '../setup/running-stack.mjs';
import { given } from '../setup/settings.mjs';
import type { ServiceStatus, StartOptions } from './control-server.ts';
import { declaredSettings } from './declared-settings.ts';
import { serviceSettings } from './service-env.ts';

const help = `Usage: npm run holdfast -- service list [--json]
       npm run holdfast -- service start|stop|reload|kill|pause|resume|cut|mend NAME[-REPLICA]
       npm run holdfast -- service start NAME[-REPLICA] --build FOLDER

  list     shows name, replica, pid, state and readiness URL of each program
  stop     stops it gracefully; it stays down until "start"
  start    reads .env and secrets.json again; variables that are set for this command win over both, as in:
           LOG_LEVEL=debug npm run holdfast -- service start subjects
  reload   gives nats-server the users of secrets.json, after a step of "secrets rotate"; connections stay
  --build  runs the build of another clone, such as an older version
  kill     sends SIGKILL; the launcher restarts it
  pause    sends SIGSTOP, to simulate a machine that hangs; "resume" continues it
  cut      drops everything between it and NATS and PostgreSQL, to simulate a broken network; "mend" restores it.
           Needs "npm start -- --severable"
NAME is a service, postgres or nats.`;

const args = process.argv.slice(2);
const json = args.includes('--json');
const at = args.indexOf('--build');
const build = at < 0 ? undefined : args.splice(at, 2)[1];
const [action = 'list', target, ...rest] = args.filter((arg) => arg !== '--json');
const actions = ['list', 'start', 'stop', 'reload', 'kill', 'pause', 'resume', 'cut', 'mend'];
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
  warn(stack ? stillStarting : notRunning);
  process.exit(1);
}
const builds = [stack.build ?? root, ...(build ? [resolve(build)] : [])];
const declared = action === 'start' ? await declaredSettings(builds) : new Set<string>();
const options: StartOptions = { settings: serviceSettings(given, declared), ...(build && { build: resolve(build) }) };
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
print(json ? JSON.stringify(body, null, 2) : table(body as ServiceStatus[]));

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
