type Rgb = readonly [number, number, number];

/** Contrast of text with what it is on (WCAG 2.2, 1.4.3). */
const minContrast = 4.5;
/** Surfaces of apps/pages/src/page.css on which the accent colour is text, and the colour of the text on it. */
const themes = {
  light: { surfaces: ['#ffffff', '#edf1f6'], onAccent: '#ffffff', towards: '#000000' },
  dark: { surfaces: ['#161c25', '#0c1016'], onAccent: '#08131f', towards: '#ffffff' },
  /** The hub has further surfaces: controls, and what is under the pointer (apps/hub/src/app/page.css). */
  darkHub: { surfaces: ['#161c25', '#26303d'], onAccent: '#08131f', towards: '#ffffff' },
};
/** Of the difference to black or white. */
const step = 0.02;
const hoverSteps = 8;

/**
 * The accent colour of an organization as a stylesheet: darker in the light theme and lighter in the dark one until its
 * text, and the text on it, can be read.
 * @param color `#rrggbb`; of anything else the result is not valid
 */
export function accentStyle(color: string): string {
  return `:root{${of(color, 'light')}}@media (prefers-color-scheme:dark){:root{${of(color, 'dark')}}}`;
}

function of(color: string, name: keyof typeof themes): string {
  const { accent, hover } = accentColors(color, name);
  return `--accent:${accent};--accent-hover:${hover}`;
}

/** The accent colour as a theme shows it, and what is behind it, each `#rrggbb`. */
export function accentColors(color: string, name: keyof typeof themes) {
  const { surfaces, onAccent, towards } = themes[name];
  const isReadable = (rgb: Rgb) => [...surfaces, onAccent].every((other) => contrast(rgb, rgbOf(other)) >= minContrast);
  let share = 0;
  while (share < 1 && !isReadable(mixed(color, towards, share))) share += step;
  const hover = mixed(color, towards, Math.min(share + hoverSteps * step, 1));
  return { accent: hexOf(mixed(color, towards, share)), hover: hexOf(hover), onAccent, surface: surfaces[0]! };
}

function mixed(color: string, other: string, share: number): Rgb {
  const [from, to] = [rgbOf(color), rgbOf(other)];
  const at = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * Math.min(share, 1));
  return [at(0), at(1), at(2)];
}

function rgbOf(color: string): Rgb {
  const at = (i: number) => Number.parseInt(color.slice(i, i + 2), 16);
  return [at(1), at(3), at(5)];
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG 2.2, "contrast ratio" and "relative luminance". */
function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
