import { beforeAll, expect, test } from '@jest/globals';

beforeAll(() => {
  // Of browsers.
  Object.assign(globalThis, { location: new URL('http://id.example/hub/acme'), CSSStyleSheet: class {} });
});

test.each(['#000000', '#ffffff', '#ffcc00', '#0b57a4'])(
  'the accent colour %s is set for both themes',
  async (color) => {
    const { accentRules } = await import('./branding.ts');
    const rules = accentRules(color);
    expect(rules.match(/--mantine-color-anchor:#[0-9a-f]{6}/g)).toHaveLength(2);
    expect(new Set(rules.match(/--mantine-color-blue-filled:#[0-9a-f]{6}/g)).size).toBe(1);
  },
);
