import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../setup/paths.mjs';
import { filesBelow, findings, textOf } from './files.ts';
import { anyLines, importsOf, targetOf } from './imports.ts';
import { layers } from './layers.mjs';
import { projectOf, readProjects, type Project } from './projects.ts';
import { symbolsOf } from './symbols.ts';

const all = filesBelow();
const projects = readProjects();
const sources = all.filter((f) => /\.(ts|tsx)$/.test(f) && projectOf(f, projects));
const byName = new Map(projects.map((p) => [p.name, p]));
const rowOf = (layer = '') => layers.find((row) => row.sourceTag === layer);
const isTest = (file: string) => /\.(spec|fixture)\.tsx?$/.test(file) || /^(libs\/testing|apps\/e2e)\//.test(file);

/** Targets that a project has no use for, and why. */
const without: Record<string, Record<string, string>> = {
  tools: { build: 'runs from its sources' },
  e2e: { build: 'has nothing but tests', test: 'its tests need a running stack: the stage e2e' },
};

/** Files of code that may be longer than 300 lines, and why. */
const long: Record<string, string> = {};

/**
 * Sources that call over HTTP by themselves, and whom: never an address that somebody outside chose (webhooks, sign-out
 * notices and the like).
 */
const waysOut: Record<string, string> = {
  'apps/gateway/src/issuer/proxy/auth-replica.ts': 'auth, behind the gateway, by its configuration',
  'apps/cli/src/audit/read/http-log.ts': 'the stack that the operator names',
  'apps/cli/src/secrets/kubernetes-api.ts': 'the Kubernetes API of the cluster in which it runs',
  'apps/cli/src/smoke/smoke-test.ts': 'the stack that the operator names',
  'apps/pages/src/browser/api.ts': 'runs in a browser, and calls the gateway it came from',
  'apps/hub/src/api/client.ts': 'runs in a browser, and calls the gateway it came from',
  'apps/hub/src/parts/api-call.ts': 'shows such a request as text',
  'apps/hub/src/api/sign-out.ts': 'runs in a browser, and calls the gateway it came from',
  'apps/hub/src/app/branding.ts': 'runs in a browser, and calls the gateway it came from',
  'libs/sdk/src/holdfast-client.ts': 'what developers install: the deployment whose client it is',
  'libs/api-client/src/index.ts': 'the deployment whose client it is; of the apps, command line and hub may use it',
};
const waysOutOfAProcess = new RegExp(
  [
    String.raw`(?<![.\w])fetch\(`,
    String.raw`https?\.(request|get)\(`,
    String.raw`(?<!import type \{[^}]*\} )from '(undici|@fastify\/reply-from|axios|got|node:(https|tls|http2))'`,
    String.raw`(?<!(import|export) type \{[^}]*\} )from '(openapi-fetch|@holdfast\/api-client)'`,
  ].join('|'),
);

describe('projects', () => {
  test('each has one layer, and each layer has one row that says whom it may use', () => {
    const tags = projects.map(({ name, layers }) => [name, layers.length]);
    expect(tags.filter(([, count]) => count !== 1)).toEqual([]);
    expect([...new Set(projects.flatMap((p) => p.layers))].sort()).toEqual(layers.map((row) => row.sourceTag).sort());
  });

  test('no row lets everything in, or an app', () => {
    for (const { sourceTag, onlyDependOnLibsWithTags } of layers) {
      expect([sourceTag, ...onlyDependOnLibsWithTags].join()).not.toContain('*');
      expect(onlyDependOnLibsWithTags).not.toContain('layer:app');
      expect(onlyDependOnLibsWithTags.filter((tag) => !rowOf(tag))).toEqual([]);
    }
  });

  test('each can be built, type checked and tested', () => {
    const missing = projects.flatMap(({ name, targets }) =>
      ['build', 'typecheck', 'test']
        .filter((t) => !targets.includes(t) && !without[name]?.[t])
        .map((t) => `${name}: ${t}`),
    );
    expect(missing).toEqual([]);
  });

  test('those with integration tests have a target for these, and no others', () => {
    const tested = all.filter((file) => file.endsWith('.int.spec.ts')).map((file) => projectOf(file, projects)?.name);
    const wrong = projects.filter(({ name, targets }) => targets.includes('integration') !== tested.includes(name));
    expect(wrong.filter(({ name }) => name !== 'tools').map(({ name }) => name)).toEqual([]);
  });
});

describe('who uses whom', () => {
  /** A sentence when `from` may not use `to`. */
  const violation = (where: string, from: Project, to: Project | undefined, inTest: boolean): string[] => {
    if (!to || to === from) return [];
    const allowed: string[] = rowOf(from.layers[0])?.onlyDependOnLibsWithTags ?? [];
    if (!allowed.includes(to.layers[0] ?? '')) return [`${where}: ${from.name} may not use ${to.name}`];
    // All of bench is a test, though Jest does not run it.
    return to.name === 'testing' && !inTest && from.name !== 'bench' ? [`${where}: testing is for tests only`] : [];
  };

  test('package.json', () => {
    const violations = projects.flatMap((from) => [
      ...from.dependencies.flatMap((to) => violation(`${from.folder}/package.json`, from, byName.get(to), false)),
      ...from.devDependencies.flatMap((to) => violation(`${from.folder}/package.json`, from, byName.get(to), true)),
    ]);
    expect(violations).toEqual([]);
  });

  test('tsconfig references', () => {
    const violations = projects.flatMap((from) =>
      from.references.flatMap(({ from: file, to }) =>
        violation(file, from, projectOf(to, projects), file.includes('spec')),
      ),
    );
    expect(violations).toEqual([]);
  });

  /**
   * Nx orders builds by package.json, TypeScript by the references; `nx sync` would need the plugin that takes over the
   * build targets. What is built without references, or only loaded at run time, is named with the reason.
   */
  test('tsconfig references name the same projects as package.json', () => {
    const unreferenced: Record<string, string[]> = { gateway: ['hub', 'pages'] };
    const difference = (a: string[], b: string[]): string[] => a.filter((name) => !b.includes(name));
    const violations = projects
      .filter(({ references }) => references.length > 0)
      .flatMap(({ name, folder, dependencies, devDependencies, references }) => {
        const of = (file: string): string[] =>
          references
            .filter(({ from }) => from === `${folder}/${file}`)
            .flatMap(({ to }) => projectOf(to, projects)?.name ?? [])
            .filter((to) => to !== name);
        const expected = difference(dependencies, unreferenced[name] ?? []);
        const inTests = [...expected, ...devDependencies];
        const source = existsSync(join(root, folder, 'tsconfig.lib.json')) ? 'tsconfig.lib.json' : 'tsconfig.spec.json';
        const sourceNeeds = source === 'tsconfig.lib.json' ? expected : inTests;
        return [
          ...difference(sourceNeeds, of(source)).map((to) => `${folder}/${source}: no reference to ${to}`),
          ...difference(of(source), sourceNeeds).map((to) => `${folder}/${source}: ${to} is not in package.json`),
          ...difference(inTests, of('tsconfig.spec.json')).map(
            (to) => `${folder}/tsconfig.spec.json: no reference to ${to}`,
          ),
          ...difference(of('tsconfig.spec.json'), inTests).map(
            (to) => `${folder}/tsconfig.spec.json: ${to} is not in package.json`,
          ),
        ];
      });
    expect(violations).toEqual([]);
  });

  test('imports', () => {
    const violations = sources.flatMap((file) => {
      const from = projectOf(file, projects)!;
      return importsOf(file).flatMap((specifier) => {
        const [, name, deep] = /^@holdfast\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
        if (deep && !byName.get(name!)?.doors.includes(`.${deep}`))
          return [`${file}: ${specifier} reaches into another project`];
        if (name)
          return byName.has(name)
            ? violation(file, from, byName.get(name), isTest(file))
            : [`${file}: there is no ${specifier}`];
        const target = targetOf(file, specifier);
        return target === undefined || projectOf(target, projects) === from
          ? []
          : [`${file}: ${specifier} leaves its project`];
      });
    });
    expect(violations).toEqual([]);
    // Were nothing read, nothing would be found.
    expect(sources.flatMap(importsOf).filter((s) => s.startsWith('@holdfast/')).length).toBeGreaterThan(100);
  });

  test('ESLint says no to each step in the wrong direction', () => {
    const fixtureOf = (file: string, from: string) => ({
      file,
      text: `import * as fixture from '${from}';\nexport const seen = Object.keys(fixture);\n`,
    });
    const wrong = [
      fixtureOf('libs/contracts/src/index.ts', '@holdfast/platform'),
      fixtureOf('libs/platform/src/index.ts', '@holdfast/data'),
      fixtureOf('libs/data/src/index.ts', '@holdfast/messaging'),
      fixtureOf('libs/testing/src/index.ts', '@holdfast/platform'),
      fixtureOf('libs/messaging/src/index.ts', '../../../apps/gateway/src/config.js'),
      fixtureOf('apps/subjects/src/config.ts', '../../issuance/src/config.js'),
      fixtureOf('examples/shop/src/config.ts', '@holdfast/contracts'),
    ];
    const right = [
      fixtureOf('libs/platform/src/index.ts', '@holdfast/contracts'),
      fixtureOf('apps/subjects/src/config.ts', '@holdfast/messaging'),
    ];
    const others = [
      { file: 'libs/messaging/src/index.ts', text: "export * from '@holdfast/testing';\n" },
      { file: 'libs/messaging/src/index.ts', text: 'export const home = process.env.HOME;\n' },
    ];
    // Each of these has ended a service, or made it believe what a stolen one had sent.
    const loops = [
      {
        file: 'apps/auth/src/sources.ts',
        text: "export const hear = (bus: { subscribe: (subject: string) => void }) => bus.subscribe('feed.x');\n",
      },
      {
        file: 'libs/messaging/src/requests/bus.ts',
        text: 'export const read = (message: { json: () => string }) => message.json();\n',
      },
      { file: 'libs/outbox/src/relay.ts', text: 'export const watch = (c: { status: () => string }) => c.status();\n' },
      { file: 'apps/auth/src/sources.ts', text: 'export const start = () => void (async () => undefined)();\n' },
    ];
    const boundaries = '@nx/enforce-module-boundaries';
    const expected = [
      ...wrong.map(() => [boundaries]),
      ...right.map(() => []),
      ['no-restricted-imports'],
      ['no-restricted-syntax'],
      ...loops.map(() => ['no-restricted-syntax']),
    ];
    expect(lint([...wrong, ...right, ...others, ...loops])).toEqual(expected);
  });
});

test('Oxlint finds what only types show', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-oxlint-'));
  try {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { strict: true, target: 'es2024' }, include: ['*.ts'] }),
    );
    const text = 'const late = async () => 1;\nexport const start = () => {\n  late();\n};\n';
    writeFileSync(join(folder, 'floating.ts'), text);
    const program = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
    const args = [program, '-c', join(root, '.oxlintrc.json'), '--format', 'unix', folder];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, expect.stringContaining('no-floating-promises')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function lint(fixture: { file: string; text: string }[]): string[][] {
  const printed = execFileSync(
    process.execPath,
    [join(root, 'tools', 'architecture', 'lint-fixtures.mjs'), JSON.stringify(fixture)],
    { cwd: root, encoding: 'utf8', env: { ...process.env, NX_DAEMON: 'false' } },
  );
  return JSON.parse(printed) as string[][];
}

describe('what is written', () => {
  const code = all.filter((f) => /\.(ts|tsx|mjs|js|sh)$|^(apps|libs|examples)\/.+\.py$/.test(f));
  // This file names what it looks for.
  const others = all.filter(
    (f) => !f.startsWith('tools/architecture/') && !/\.(png|ico|woff2)$/.test(f) && f !== 'package-lock.json',
  );

  test('the environment is read in config.ts only', () => {
    const services = sources.filter(
      (f) => /^(apps|libs|examples)\//.test(f) && !isTest(f) && !f.endsWith('/config.ts'),
    );
    // ESLint reads no JavaScript.
    const examples = all.filter((f) => /^examples\/[^/]+\/src\/.+\.js$/.test(f) && !f.endsWith('/config.js'));
    expect(findings([...services, ...examples], /process\.env/)).toEqual([]);
  });

  test('one way out: nothing but the outbound client calls an address over HTTP, or connects to one', () => {
    const services = sources.filter(
      (f) => /^(apps|libs)\//.test(f) && !isTest(f) && !f.startsWith('libs/platform/src/outbound/') && !waysOut[f],
    );
    expect(findings(services, waysOutOfAProcess)).toEqual([]);
    expect(Object.keys(waysOut).filter((f) => !waysOutOfAProcess.test(textOf(f)))).toEqual([]);
    for (const way of [
      'await fetch(url)',
      'https.request(url)',
      "import { Agent } from 'undici'",
      "import { connect } from 'node:tls'",
      "import { apiClient } from '@holdfast/api-client'",
    ])
      expect(way).toMatch(waysOutOfAProcess);
  });

  test('no any, and no rule is switched off without a reason', () => {
    expect(sources.flatMap((file) => anyLines(file).map((line) => `${file}:${line}`))).toEqual([]);
    const silenced = [...findings(others, /(es|ox)lint-disable|@ts-(ignore|expect-error|nocheck)/)];
    expect(silenced.filter((line) => !/((es|ox)lint-disable[\w-]* .+ -- \w|@ts-expect-error \w)/.test(line))).toEqual(
      [],
    );
  });

  test('nothing is put off in a comment', () => {
    expect(findings(others, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  test('no drawer for what has no place', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|shared|types|dtos?|misc)\//;
    expect(all.filter((f) => drawers.test(f))).toEqual([]);
  });

  test('no source file is longer than 350 lines and no test longer than 500 without a reason', () => {
    const tooLong = code.filter(
      (f) => textOf(f).split('\n').length > (/\.(spec|fixture)\.ts$|\/test_\w+\.py$/.test(f) ? 501 : 351),
    );
    expect(tooLong.filter((f) => !long[f])).toEqual([]);
    expect(Object.keys(long).filter((f) => !tooLong.includes(f))).toEqual([]);
  });

  test('no path of a machine and no host of a package registry', () => {
    const paths = /(^|[\s"'`(=:])\/(work|home|Users)\/[\w.-]|\/root\/\w/;
    expect(findings(others, paths)).toEqual([]);
    const hosts =
      /registry\.(?!(int\.)?spec\.|fixture\.)[\w-]+\.\w+|\/\/[\w.-]*(artifactory|nexus|verdaccio|mirror)[\w.-]*/i;
    expect(findings([...others, 'package-lock.json'], hosts)).toEqual([]);
    expect(findings(['package-lock.json'], /"resolved": "https?:/)).toEqual([]);
  });
});

describe('documents', () => {
  const documents = all.filter((f) => f.endsWith('.md'));

  test('links lead to files that are there', () => {
    const broken = documents.flatMap((file) =>
      [...textOf(file).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, posix.join(posix.dirname(file), link))))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  /** `path/file.ts`, or `path/file.ts#symbol` of what the file declares. */
  const named = /`((?:apps|libs|tools|docs|bench|docker|examples|\.ci)\/[\w./-]+)(?:#([\w.]+))?`/g;
  const isMissing = (path: string, symbol?: string): boolean =>
    !existsSync(join(root, path)) || (symbol !== undefined && !symbolsOf(path).has(symbol));

  test('documents name only files that exist, and symbols that their files declare', () => {
    const missing = documents.flatMap((file) =>
      [...textOf(file).matchAll(named)]
        .filter(([, path = '', symbol]) => isMissing(path, symbol))
        .map(([reference]) => `${file}: ${reference}`),
    );
    expect(missing).toEqual([]);
    const flows = [...textOf('docs/request-flows.md').matchAll(named)];
    expect(flows.length).toBeGreaterThan(30);
    expect(flows.filter(([, , symbol]) => symbol !== undefined).length).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ['`libs/contracts/src/http/forwarded.ts#http`', false],
    ['`libs/messaging/src/requests/bus.ts#Bus.request`', false],
    ['`libs/contracts/src/http/endpoints.ts#forwardedEndpoints.offers`', false],
    ['`libs/contracts/src/http/forwarded.ts#htp`', true],
    ['`libs/messaging/src/requests/bus.ts#Bus.htp`', true],
    ['`libs/messaging/src/requests/bus.ts#request`', true],
    ['`libs/messaging/src/omnibus.ts#Bus`', true],
  ])('a reference of a document is checked: %s is missing: %s', (text, expected) => {
    expect([...text.matchAll(named)].map(([, path = '', symbol]) => isMissing(path, symbol))).toEqual([expected]);
  });

  test('each app, lib and example says what it is for', () => {
    const folders = projects
      .filter(({ folder }) => /^(apps|libs|examples)\//.test(folder))
      .map(({ folder }) => `${folder}/README.md`);
    expect(folders.filter((file) => !all.includes(file))).toEqual([]);
  });
});
