import type { Page } from 'playwright-core';

interface Contrast {
  name: string;
  ratio: number;
  needed: number;
}

/**
 * Contrasts by WCAG 2.2 §1.4.3 and §1.4.11, from the colours that the browser computes: of text, edges of controls and
 * icons against their background.
 */
export function contrasts(page: Page): Promise<Contrast[]> {
  return page.evaluate(() => {
    const rgb = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (colour: string): number => {
      const [r = 0, g = 0, b = 0] = rgb(colour).map((channel) =>
        channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const between = (one: string, other: string): number => {
      const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const behind = (element: Element | null): string => {
      if (!element) return 'rgb(255, 255, 255)';
      const { backgroundColor } = getComputedStyle(element);
      return rgb(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
    };
    const shown = [...document.querySelectorAll('main *')].filter((element) => element.checkVisibility());
    const texts = shown.filter((element) =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
    );
    const edged = shown.filter((element) => element.matches('.secondary'));
    const icons = shown.filter((element) => element.matches('.icon'));
    return [
      ...texts.map((e) => ({
        name: `text of ${e.tagName} ${e.className}`,
        ratio: between(getComputedStyle(e).color, behind(e)),
        needed: 4.5,
      })),
      ...edged.map((e) => ({
        name: `edge of ${e.tagName}`,
        ratio: between(getComputedStyle(e).borderTopColor, behind(e.parentElement)),
        needed: 3,
      })),
      ...icons.map((e) => ({
        name: 'icon',
        ratio: between(getComputedStyle(e).backgroundColor, behind(e.parentElement)),
        needed: 3,
      })),
    ];
  });
}
