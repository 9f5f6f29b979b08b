import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { accentStyle } from './accent-style.js';

const luminance = (color: string): number => {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a: string, b: string): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};
const form = (() => {
  const colors = String.raw`--accent:(#[0-9a-f]{6});--accent-hover:(#[0-9a-f]{6})`;
  return new RegExp(String.raw`^:root\{${colors}\}@media \(prefers-color-scheme:dark\)\{:root\{${colors}\}\}$`);
})();

describe('the style of an accent colour', () => {
  test('of any colour has a contrast of 4.5 with text and ground in both themes, also under the pointer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const color = `#${value.toString(16).padStart(6, '0')}`;
        const [, light, lightHover, dark, darkHover] = form.exec(accentStyle(color))!;
        for (const surface of ['#ffffff', '#edf1f6'])
          for (const shown of [light!, lightHover!]) expect(contrast(shown, surface)).toBeGreaterThanOrEqual(4.5);
        for (const surface of ['#161c25', '#0c1016', '#08131f'])
          for (const shown of [dark!, darkHover!]) expect(contrast(shown, surface)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  test('a colour with enough contrast stays as it is in its theme', () => {
    expect(accentStyle('#0b57a4')).toContain(':root{--accent:#0b57a4;');
    expect(accentStyle('#86b8f6')).toContain('dark){:root{--accent:#86b8f6;');
  });
});
