// Stylesheets are loaded one by one, for the size of the first load. Without its own a component shows unstyled.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const loaded = [...readFileSync('apps/hub/src/app/styles.ts', 'utf8').matchAll(/core\/styles\/([\w-]+)\.css/g)].map(
  ([, name]) => name!,
);

test('the stylesheet of each component of Mantine that a screen uses is loaded', () => {
  const used = globSync('apps/hub/src/**/*.tsx').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names]) =>
      names!.split(',').map((name) => name.replace('type ', '').trim()),
    ),
  );
  expect(new Set(used).size).toBeGreaterThan(15);
  const withStyles = [...new Set(used)].filter((name) => existsSync(`node_modules/@mantine/core/styles/${name}.css`));
  expect(withStyles.filter((name) => !loaded.includes(name))).toEqual([]);
});

test('stylesheets are in the order of the whole one, by which later ones override earlier ones', () => {
  const whole = readFileSync('node_modules/@mantine/core/styles.css', 'utf8');
  const places = loaded
    .filter((name) => name !== 'default-css-variables')
    .map((name) => whole.indexOf(readFileSync(`node_modules/@mantine/core/styles/${name}.css`, 'utf8').slice(0, 50)));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});
