// `npm run new -- example FRAMEWORK FOLDER`: an example as a program of its own, outside of the clone.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { print, ReportedError, warn } from '../../infra/console.ts';
import { takeBuildLock } from '../../setup/build-lock.mjs';
import { nx, nxEnvironment } from '../../setup/build.mjs';
import { root } from '../../setup/paths.mjs';
import { runningStack } from '../../setup/running-stack.mjs';
import { given } from '../../setup/settings.mjs';
import { createArguments, frameworks, type Framework } from './frameworks.ts';

/** What only the clone needs. */
const ofTheClone = new Set(['project.json', 'tsconfig.json', 'README.md', 'node_modules', '.env', '.next']);

const rows = Object.entries(frameworks).map(([name, { description }]) => `  ${name.padEnd(18)}${description}`);
const usage = `npm run new -- example FRAMEWORK FOLDER [options]

An example as a program of its own, in an empty folder outside of the clone.

${rows.join('\n')}

  --create            create its app at the running stack, and write its client ID and secret into .env
  --organization=…    whose app it is: acme by default
  --name=…            name of the app in the organization: that of the framework by default
  --issuer=…          by default that of the organization at the running stack
  --origin=…          where the example runs
  --client-id=…       of an app that exists. Its secret is the environment variable CLIENT_SECRET
`;

const value = { type: 'string' } as const;
const declaredOptions = {
  create: { type: 'boolean' },
  organization: { type: 'string', default: 'acme' },
  name: value,
  issuer: value,
  origin: value,
  'client-id': value,
} as const;
type Options = ReturnType<typeof parseArgs<{ options: typeof declaredOptions }>>['values'];

try {
  await main();
} catch (error) {
  if (!(error instanceof ReportedError)) throw error;
  warn(error.message);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  if (words.some((argument) => ['--help', '-h'].includes(argument))) return print(usage);
  const { framework, folder, options } = parse(words);
  const declared = frameworks[framework];
  if (!declared) throw new ReportedError(`There is no example ${framework}.\n\n${usage}`);
  const target = emptyFolder(folder);
  const { organization, name = framework } = options;
  const origin = (options.origin ?? declared.origin ?? '').replace(/\/$/, '');
  const issuer = options.issuer ?? `${runningStack()?.baseUrl ?? 'http://localhost:8080'}/o/${organization}`;
  const args = createArguments(declared, { organization, name, origin });
  // First what may fail, so that the folder stays empty then.
  const client = options.create ? created(args) : { clientId: options['client-id'] ?? '', ...secretOf(declared) };
  const source = join(root, 'examples', framework);
  cpSync(source, target, { recursive: true, filter: (path) => !ofTheClone.has(relative(source, path)) });
  const settings = {
    ISSUER: issuer,
    CLIENT_ID: client.clientId,
    ...(declared.kind === 'web' && { CLIENT_SECRET: client.clientSecret ?? '' }),
    ...(origin && { ORIGIN: origin }),
  };
  const lines = Object.entries(settings).map(([variable, value]) => `${variable}=${value}\n`);
  writeFileSync(join(target, '.env'), lines.join(''), { mode: 0o600 });
  if (readFileSync(join(target, 'package.json'), 'utf8').includes('@holdfast/sdk')) await packSdk(target);
  print(next({ target, isCreated: client.clientId !== '', args, declared }));
}

function parse(args: string[]): { framework: string; folder: string; options: Options } {
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: declaredOptions });
    const [framework, folder, ...more] = positionals;
    if (framework && folder && more.length === 0) return { framework, folder, options: values };
  } catch (error) {
    throw new ReportedError(`${(error as Error).message}\n\n${usage}`);
  }
  throw new ReportedError(usage);
}

/** Relative to where npm was started. Inside the clone the example would find the packages of the clone. */
function emptyFolder(folder: string): string {
  const path = resolve(given.INIT_CWD ?? process.cwd(), folder);
  if (`${path}${sep}`.startsWith(root + sep))
    throw new ReportedError(`${path} is inside the clone. Name a folder outside of it.`);
  const existing = existsSync(path) ? readdirSync(path) : [];
  if (existing.length > 0) throw new ReportedError(`${path} is not empty. Name a folder that is empty, or a new one.`);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The app, created by the operator's command line. */
function created(args: string[]): { clientId: string; clientSecret?: string } {
  const done = spawnSync(process.execPath, [join(root, 'tools', 'holdfast.mjs'), ...args, '--json'], {
    encoding: 'utf8',
    env: given,
  });
  if (done.status !== 0) throw new ReportedError(`The app could not be created: ${done.stderr.trim()}`);
  const { app, clientSecret } = JSON.parse(done.stdout) as { app: { clientId: string }; clientSecret?: string };
  return { clientId: app.clientId, ...(clientSecret !== undefined && { clientSecret }) };
}

/** Options of a command are in lists of processes, so the secret is none. */
function secretOf({ kind }: Framework): { clientSecret?: string } {
  const { CLIENT_SECRET: clientSecret } = given;
  return kind === 'web' && clientSecret ? { clientSecret } : {};
}

/** Puts the archive of the SDK into the folder: it is in no registry. */
async function packSdk(target: string): Promise<void> {
  const release = await takeBuildLock();
  try {
    const [program, args] = nx(process.execPath, ['build'], ['run-many', '-p', 'sdk']);
    const built = spawnSync(program, args, { cwd: root, env: nxEnvironment(process.execPath), encoding: 'utf8' });
    if (built.status !== 0) throw new ReportedError(`The SDK could not be built:\n${built.stdout}${built.stderr}`);
    execFileSync(process.execPath, [join(root, 'libs', 'sdk', 'pack.mjs'), target]);
  } finally {
    release();
  }
}

interface Next {
  target: string;
  isCreated: boolean;
  args: string[];
  declared: Framework;
}

function next({ target, isCreated, args, declared }: Next): string {
  const quoted = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const secret = declared.kind === 'web' ? ' and its client secret' : '';
  const create = [
    `Create its app, in ${root} and while Holdfast runs there:`,
    '',
    `  ./holdfast ${args.map(quoted).join(' ')}`,
    '',
    `Put its client ID${secret} into ${join(target, '.env')}. Then start it:`,
  ];
  return [
    `The example is in ${target}.`,
    ...(isCreated ? ['Start it:'] : create),
    '',
    `  cd ${quoted(target)} && npm install`,
    '  npm start',
    '',
  ].join('\n');
}
