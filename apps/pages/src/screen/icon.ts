import type { Screen } from './screen.ts';

/** Line drawings on a 24 × 24 grid, one per tone. */
const lines: Record<Screen<string>['tone'], string> = {
  busy: 'M12 3a9 9 0 1 1-9 9',
  calm: 'M14 4a5 5 0 1 1-4.6 7L3 17.4V21h3.6v-2.4H9v-2.4l2.7-2.6M15.5 8.5h.01',
  good: 'M21 12a9 9 0 1 1-5-8M8 11.5l3.2 3.2L20.5 5.5',
  stop: 'M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18M12 7.5v5.5M12 16.5h.01',
};

const svg = 'http://www.w3.org/2000/svg';

/** Decoration only: the heading says it in words. */
export function iconOf(tone: Screen<string>['tone']): SVGElement {
  const drawing = document.createElementNS(svg, 'svg');
  drawing.setAttribute('class', `icon ${tone}`);
  drawing.setAttribute('viewBox', '0 0 24 24');
  drawing.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svg, 'path');
  line.setAttribute('d', lines[tone]);
  drawing.append(line);
  return drawing;
}
